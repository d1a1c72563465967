import { expect, test } from "vitest";
import { escapeHtml, visibleText } from "./safe-text.ts";

test("control characters are named; tabs and line ends stay", () => {
  expect(visibleText("a\u0000b\u001b[31m\r\n\tc\r\u007f\u0085")).toBe(
    "a⟨U+0000⟩b⟨U+001B⟩[31m\n\tc⟨U+000D⟩⟨U+007F⟩⟨U+0085⟩",
  );
});

test("names characters that turn or hide text", () => {
  expect(visibleText("user\u202Eexe.txt\u2066\u200b\ufeff\u2028")).toBe(
    "user⟨U+202E⟩exe.txt⟨U+2066⟩⟨U+200B⟩⟨U+FEFF⟩⟨U+2028⟩",
  );
});

test("scripts from right to left and joined emoji remain unchanged", () => {
  const text = "שלום مرحبا 👩‍👩‍👧 क्‍ष";
  expect(visibleText(text)).toBe(text);
});

test("half a surrogate pair becomes the replacement character", () => {
  expect(visibleText("a\ud800b\udc00c😀")).toBe("a\ufffdb\ufffdc😀");
});

test("markup from a model stays text", () => {
  expect(escapeHtml(`<img src=x onerror='alert("1")'>&amp;`)).toBe(
    "&lt;img src=x onerror=&#39;alert(&quot;1&quot;)&#39;&gt;&amp;amp;",
  );
});

test("control characters become visible in markup too", () => {
  expect(escapeHtml("a\u0000b\u001b[31m")).toBe("a⟨U+0000⟩b⟨U+001B⟩[31m");
});
