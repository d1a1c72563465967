import * as fc from "fast-check";
import { expect, test } from "vitest";
import { statisticMean, statisticOf } from "../index.ts";
import { emptyStatistic, mergeDiagnostics, mergeStatistics } from "./index.ts";

// Whole numbers add without rounding, so "exactly" is meant.
const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { maxLength: 20 });

test("nothing has mean 0 and no smallest or largest", () => {
  expect(statisticOf([])).toEqual(emptyStatistic);
  expect(emptyStatistic).toEqual({ sum: 0, count: 0, min: Infinity, max: -Infinity });
  expect(statisticMean(emptyStatistic)).toBe(0);
});

test("parts merge exactly into the whole, in any order, with the empty one neutral", () => {
  fc.assert(
    fc.property(values, values, (a, b) => {
      const [x, y] = [statisticOf(a), statisticOf(b)];
      expect(mergeStatistics(x, y)).toEqual(statisticOf([...a, ...b]));
      expect(mergeStatistics(y, x)).toEqual(mergeStatistics(x, y));
      expect(mergeStatistics(x, emptyStatistic)).toEqual(x);
    }),
    { seed: 1, numRuns: 200 },
  );
});

test("diagnostics merge by name and keep names of one side", () => {
  const a = { ratio: statisticOf([1, 3]), kl: statisticOf([0.5]) };
  const b = { ratio: statisticOf([2]), entropy: statisticOf([7]) };
  expect(mergeDiagnostics(a, b)).toEqual({
    ratio: { sum: 6, count: 3, min: 1, max: 3 },
    kl: statisticOf([0.5]),
    entropy: statisticOf([7]),
  });
  expect(a.ratio.count).toBe(2);
});
