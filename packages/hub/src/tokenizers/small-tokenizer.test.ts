import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { tokenizerOf } from "./load-tokenizer.ts";
import { learnMerges, smallTokenizer, smallVocabulary } from "./small-tokenizer.ts";

const texts = [
  "low lower lowest, 12 lows",
  "new newer 12 newest\nlow 12",
  "slow slower – unlow",
  "lower slowest newer unlow 12",
];
const merges = learnMerges(texts, 12);

function cut(count: number): string[][] {
  const words = texts.flatMap((text) =>
    [...` ${text}`.matchAll(/ ?\d| ?\p{L}+|\n| ?[^\s\p{L}\d]+/gu)].map(([word]) => word),
  );
  const repeated = words.filter((word) => words.filter((other) => other === word).length > 1);
  return repeated.map((word) => {
    let symbols = Array.from(word.replace(" ", "Ġ"));
    for (const [left, right] of merges.slice(0, count))
      symbols = symbols.flatMap((symbol, i) => {
        if (symbol === right && symbols[i - 1] === left) return [];
        return symbol === left && symbols[i + 1] === right ? [left + right] : [symbol];
      });
    return symbols;
  });
}

test("each merge joins the most frequent pair of neighbours in words that repeat", () => {
  for (const [i, [left, right]] of merges.entries()) {
    const pairs = cut(i).flatMap((symbols) => symbols.slice(1).map((symbol, j) => `${symbols[j]} ${symbol}`));
    const countOf = (pair: string): number => pairs.filter((other) => other === pair).length;
    expect(countOf(`${left} ${right}`)).toBe(Math.max(...pairs.map(countOf)));
  }
  expect(merges.length).toBeGreaterThan(4);
  expect(merges.flat().some((part) => /\d.*\d/u.test(part))).toBe(false);
});

test("texts survive encoding, and every digit is a token", () => {
  const tokenizer = tokenizerOf({ ...smallTokenizer(merges), generation: {} });
  const random = randomFromSeed(1);
  for (let i = 0; i < 50; i++) {
    const text = String.fromCodePoint(...Array.from({ length: 20 }, () => 32 + random.integer(0x2000)));
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
  }
  expect(tokenizer.encode("1234").map((token) => tokenizer.decode([token]))).toEqual(["1", "2", "3", "4"]);
  expect(tokenizer.encode("low 12").slice(-2)).toEqual(tokenizer.encode("12"));
  expect(tokenizer.vocabularySize).toBe(smallVocabulary(merges));
  const chat = tokenizer.encodeChat([{ role: "user", content: "<|end|>" }]);
  expect(chat.filter((token) => token === tokenizer.endToken)).toHaveLength(1);
});
