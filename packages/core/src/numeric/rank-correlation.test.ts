import { expect, test } from "vitest";
import { rankCorrelation } from "./rank-correlation.ts";

test("without ties it is 1 - 6 Σd² / (n³ - n), in any units", () => {
  // Squares of the rank differences: 0, 1, 1, 1, 1.
  expect(rankCorrelation([1, 2, 3, 4, 5], [10, 300, 200, 5000, 400])).toBeCloseTo(1 - (6 * 4) / 120, 12);
  expect(rankCorrelation([1, 2, 3], [0.1, 0.2, 9])).toBe(1);
  expect(rankCorrelation([1, 2, 3], [3, 2, 1])).toBe(-1);
});

test("ties share their mean rank", () => {
  // Ranks .5 .5 2.5 2.5 4.5 4.5 and 0 1.5 1.5 4.5 3 4.5, less their mean of 2.5.
  const [x, y] = [
    [-2, -2, 0, 0, 2, 2],
    [-2.5, -1, -1, 2, 0.5, 2],
  ];
  const dot = (p: number[] = [], q: number[] = []): number => p.reduce((sum, value, i) => sum + value * (q[i] ?? 0), 0);
  const expected = dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
  expect(rankCorrelation([6, 6, 10, 10, 14, 14], [5, 9, 9, 12, 10, 12])).toBeCloseTo(expected, 12);
});

test("a side that never changes, and no pairs, have none", () => {
  expect(rankCorrelation([1, 1, 1], [1, 2, 3])).toBeNaN();
  expect(rankCorrelation([], [])).toBeNaN();
  expect(rankCorrelation([1], [1])).toBeNaN();
});
