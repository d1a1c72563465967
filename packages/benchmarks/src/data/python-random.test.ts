import { expect, test } from "vitest";
import { pythonShuffle } from "./python-random.ts";

test("shuffles are Python's, one after the other", () => {
  // random.seed(seed); items = list(range(n)); random.shuffle(items), over and over.
  const shuffles = (seed: number, letters: string, times: number): string[] => {
    const shuffle = pythonShuffle(seed);
    return Array.from({ length: times }, () => shuffle(letters.split("")).join(""));
  };
  const first = shuffles(0, "0123", 200);
  expect(first.slice(0, 6)).toEqual(["2013", "0132", "0213", "1032", "2031", "3120"]);
  // Past the first 624 words.
  expect(first.slice(-3)).toEqual(["3120", "2031", "2301"]);
  expect(shuffles(42, "0123", 5)).toEqual(["2130", "3201", "1320", "1203", "1230"]);
  expect(shuffles(12345, "0123456789a", 5)).toEqual([
    "7a938215406",
    "5037a982461",
    "47350912a68",
    "1269384a570",
    "86a70351429",
  ]);
});
