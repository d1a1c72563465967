import { expect, test } from "vitest";
import { meanCosts } from "./index.ts";

test("means per cost, without what does not apply", () => {
  const rows = [
    { task: 1, costs: { tokens: 10, turns: 1 } },
    { task: NaN, costs: { tokens: 30, turns: NaN } },
  ];
  expect(meanCosts(rows)).toEqual({ tokens: 20, turns: 1 });
});

test("nothing measured has no costs, and a cost that never applies has no mean", () => {
  expect(meanCosts([])).toEqual({});
  expect(meanCosts([{ task: 1, costs: { tokens: NaN } }])).toEqual({ tokens: NaN });
});
