import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { llama2cTokenizer } from "./llama2c-tokenizer.ts";
import { loadTokenizer, tokenizerOf } from "./load-tokenizer.ts";

function file(pieces: readonly (readonly [text: string, score: number])[]): Uint8Array {
  const bytes = Array.from(
    { length: 256 },
    (_, i) => [`<0x${i.toString(16).toUpperCase().padStart(2, "0")}>`, 0] as const,
  );
  const all = [["<unk>", 0], ["\n<s>\n", 0], ["\n</s>\n", 0], ...bytes, ...pieces] as const;
  const parts = all.map(([text, score]) => {
    const encoded = new TextEncoder().encode(text);
    const view = new DataView(new ArrayBuffer(8 + encoded.length));
    view.setFloat32(0, score, true);
    view.setInt32(4, encoded.length, true);
    return new Uint8Array([...new Uint8Array(view.buffer).subarray(0, 8), ...encoded]);
  });
  return new Uint8Array([9, 0, 0, 0, ...parts.flatMap((part) => [...part])]);
}
const letters = [" ", "a", "b", "c"].map((letter, i) => [letter, -100 - i] as const);

test("the likelier merge goes first, and what has no token is bytes", () => {
  const bytes = file([["bc", -1], ["ab", -2], [" a", -3], ...letters]);
  const tokenizer = tokenizerOf(llama2cTokenizer(bytes, 259 + 7));
  const first = 259;
  expect(tokenizer.encode("abc")).toEqual([first + 2, first]);
  expect(tokenizer.decode([first + 2, first])).toBe("abc");
  expect(tokenizer.encode("a!")).toEqual([first + 2, 3 + 0x21]);
  expect(tokenizer.endToken).toBe(2);
});

const whole = file(letters);
test.each([
  ["cut short", whole.subarray(0, -1), 263, /ends after 262 of 263 tokens: truncated/],
  ["of a smaller model", whole, 262, /bytes after its 262 tokens: another model's tokenizer/],
  ["a text", new TextEncoder().encode("this is a text, not a tokenizer"), 263, /is not a llama2\.c tokenizer/],
] as const)("a file that is %s is refused", (_, bytes, size, message) => {
  expect(() => llama2cTokenizer(bytes, size)).toThrow(message);
});

const stories = join(process.env["LACONIC_DATA"] ?? "", "stories260k");
test.skipIf(!existsSync(join(stories, "tok512.bin")))(
  "the story model's tokenizer in both formats writes the same tokens (needs LACONIC_DATA)",
  async () => {
    const files = llama2cTokenizer(await readFile(join(stories, "tok512.bin")), 512);
    const [ours, twin] = [tokenizerOf(files), await loadTokenizer(stories)];
    const texts = [
      "Once upon a time, there was a little girl named Lily.",
      "Zoë's naïve  café\n\t—  42% “quoted” 🦊",
      "",
      " leading and trailing ",
      "The quick brown fox jumps over the lazy dog! ".repeat(5),
    ];
    for (const text of texts) {
      expect(ours.encode(text)).toEqual(twin.encode(text));
      expect(ours.decode(ours.encode(text))).toBe(twin.decode(twin.encode(text)));
    }
    const json = JSON.parse(await readFile(join(stories, "tokenizer.json"), "utf8")) as { model: { merges: unknown } };
    expect((files.tokenizer["model"] as { merges: unknown }).merges).toEqual(json.model.merges);
  },
);
