import fc from "fast-check";
import { expect, test } from "vitest";
import { balance, balanceGroups } from "./shared-sampling.ts";

test("every item is given to one replica, in order, and loads are even", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      (costs, replicas) => {
        const shares = balance(costs, replicas);
        expect(shares.flat().toSorted((a, b) => a - b)).toEqual(costs.map((_, i) => i));
        for (const share of shares) expect(share).toEqual(share.toSorted((a, b) => a - b));
        const loads = shares.map((share) => share.reduce((sum, i) => sum + (costs[i] as number), 0));
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(Math.max(0, ...costs));
      },
    ),
    { seed: 1 },
  );
});

test("groups stay together", () => {
  expect(balanceGroups(["a", "b", "a", "c"], [1, 1, 1, 1], 2)).toEqual([
    [0, 2],
    [1, 3],
  ]);
});
