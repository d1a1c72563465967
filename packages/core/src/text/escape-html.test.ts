import { expect, test } from "vitest";
import { escapeHtml } from "./escape-html.ts";

test("markup from a model stays text", () => {
  expect(escapeHtml(`<img src=x onerror='alert("1")'>&amp;`)).toBe(
    "&lt;img src=x onerror=&#39;alert(&quot;1&quot;)&#39;&gt;&amp;amp;",
  );
});

test("control characters become visible", () => {
  expect(escapeHtml("a\u0000b\u001b[31m")).toBe("a⟨U+0000⟩b⟨U+001B⟩[31m");
});
