import * as fc from "fast-check";
import { expect, test } from "vitest";
import { tableTokenizer } from "./index.ts";

test("a token per character, the end token last and unspoken", () => {
  const tokenizer = tableTokenizer("ab😀");
  expect(tokenizer).toMatchObject({ vocabularySize: 4, endToken: 3 });
  expect(tokenizer.encode("😀ba")).toEqual([2, 1, 0]);
  expect(tokenizer.decode([0, 3, 2])).toBe("a😀");
});

test("what it can spell comes back", () => {
  const tokenizer = tableTokenizer();
  const texts = fc.string({ unit: fc.constantFrom(...Array.from("abcxyz0189 +-=?,:")) });
  fc.assert(
    fc.property(texts, (text) => {
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    }),
    { seed: 1, numRuns: 200 },
  );
});

test("what it cannot spell is refused by name", () => {
  const tokenizer = tableTokenizer("ab");
  expect(() => tokenizer.encode("abc")).toThrowError(
    expect.objectContaining({ code: "input_invalid", detail: { character: "c" } }),
  );
  expect(() => tokenizer.decode([5])).toThrowError(
    expect.objectContaining({ code: "input_invalid", detail: { token: 5 } }),
  );
  expect(() => tableTokenizer("aba")).toThrowError(expect.objectContaining({ code: "input_invalid" }));
});
