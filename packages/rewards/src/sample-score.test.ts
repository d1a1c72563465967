import { expect, test } from "vitest";
import { countScores, readScore, unscoredShare } from "./sample-score.ts";

test.for([
  [0, "scored"],
  [1, "scored"],
  [0.25, "scored"],
  [Number.NaN, "invalid"],
  [Infinity, "invalid"],
  [-0.1, "invalid"],
  [1.0001, "invalid"],
  ["1", "invalid"],
  [null, "invalid"],
  [undefined, "invalid"],
  [Promise.resolve(1), "invalid"],
  [{ undecided: "no memory" }, "undecided"],
] as const)("%j is %s", ([input, status]) => {
  expect(readScore(input)).toMatchObject({ status });
});

test("an invalid score names its value", () => {
  expect(readScore(Promise.resolve(1))).toMatchObject({ reason: expect.stringContaining("[object Promise]") });
  expect(readScore(2)).toMatchObject({ reason: expect.stringContaining("got 2") });
  expect(readScore({ undecided: "no memory" })).toEqual({ status: "undecided", reason: "no memory" });
});

test("counts, and the share without a score", () => {
  const counts = countScores([readScore(1), readScore(0), readScore(Number.NaN), { status: "error", reason: "" }]);
  expect(counts).toEqual({ scored: 2, undecided: 0, invalid: 1, error: 1 });
  expect([unscoredShare(counts), unscoredShare(countScores([]))]).toEqual([0.5, 0]);
});
