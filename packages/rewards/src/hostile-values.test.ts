import { LaconicError } from "@laconic/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decoupledAdvantages,
  meanCosts,
  priceIndependence,
  rewardTerms,
  rewardTotal,
  type DecoupledOptions,
  type MeasuredReward,
} from "./index.ts";

const fromZero: fc.Arbitrary<number> = fc.oneof(
  fc.double({ noNaN: true, min: 0, max: 100 }),
  fc.constantFrom(0, 5e-324, 1e-320, 1e-160, 1e154, 1e300, 1e308, Number.MAX_VALUE),
);
const episodes: fc.Arbitrary<{ measured: MeasuredReward; group: number }[]> = fc.array(
  fc.record({
    measured: fc.record({
      task: fc.oneof(fc.constantFrom(0, 1, NaN, 1e-320), fc.double({ noNaN: true, min: 0, max: 1 })),
      costs: fc.record({ tokens: fc.oneof(fromZero, fc.constant(NaN)), turns: fromZero }),
    }),
    group: fc.integer({ min: 0, max: 2 }),
  }),
  { maxLength: 7 },
);
const settings: fc.Arbitrary<DecoupledOptions> = fc.record(
  {
    weights: fc.record({ tokens: fromZero, turns: fromZero }),
    costs: fc.constantFrom("z-score", "centred"),
    std: fc.constantFrom("sample", "population"),
    epsilon: fc.constantFrom(0, 1e-320, 1e-4),
    batch: fc.constantFrom("none", "sequence"),
    costWhenTaskAtLeast: fc.constantFrom(0.5, 1),
  },
  { requiredKeys: ["weights", "costs"] },
) as fc.Arbitrary<DecoupledOptions>;

function outcome(run: () => readonly number[]): string {
  try {
    const bad = run().filter((value) => Math.abs(value) === Infinity);
    return bad.length === 0 ? "finite" : `returned ${bad.join(", ")}`;
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    return `${error.code} ${Object.keys(error.detail).join(" ")}`;
  }
}

test("decoupled: finite costs give finite advantages, or an error with the row", () => {
  const outcomes = new Map<string, number>();
  fc.assert(
    fc.property(episodes, settings, (rows, options) => {
      const measured = rows.map((row) => row.measured);
      const groups = rows.map(({ group }) => group);
      const match = outcome(() => {
        const advantages = [...decoupledAdvantages(measured, groups, options).advantages];
        return advantages.map((value) => (Number.isNaN(value) ? Infinity : value));
      });
      expect(match).toMatch(/^(?:finite|numeric_invalid row(?: term)?)$/u);
      outcomes.set(match, (outcomes.get(match) ?? 0) + 1);
    }),
    { seed: 1, numRuns: 1500 },
  );
  expect(outcomes.get("finite")).toBeGreaterThan(300);
  expect(outcomes.size).toBe(3);
});

test.each([
  ["a cost of 1e300", [1, 1e300, 3], 1, "z-score", { row: 1, term: "tokens" }],
  ["a cost of 1e300", [1, 1e300, 3], 1, "centred", { row: 1, term: "tokens" }],
  ["a weight that overflows an advantage", [1e90, 2e90], 1e300, "centred", { row: 0 }],
] as const)("%s is refused: %j", (_, tokens, weight, costs, detail) => {
  const measured = tokens.map((token) => ({ task: 1, costs: { tokens: token } }));
  const groups = tokens.map(() => 0);
  expect(() => decoupledAdvantages(measured, groups, { weights: { tokens: weight }, costs })).toFailWith(
    "numeric_invalid",
    detail,
  );
});

test("Eq. 1: finite costs and prices give a finite reward, NaN, or an error with the term", () => {
  fc.assert(
    fc.property(episodes, fc.record({ tokens: fromZero, turns: fromZero }), (rows, prices) => {
      for (const { measured } of rows)
        expect(outcome(() => [rewardTotal(rewardTerms(measured, prices))])).toMatch(
          /^(?:finite|reward_invalid .*term.*)$/u,
        );
    }),
    { seed: 2, numRuns: 500 },
  );
});

test("mean costs are finite where the costs are, or an error with the cost", () => {
  fc.assert(
    fc.property(episodes, (rows) => {
      const match = outcome(() => Object.values(meanCosts(rows.map(({ measured }) => measured))));
      expect(match).toMatch(/^(?:finite|numeric_invalid name)$/u);
    }),
    { seed: 3, numRuns: 500 },
  );
});

test("shares of price independence are shares, whatever the terms", () => {
  fc.assert(
    fc.property(episodes, (rows) => {
      const terms = rows.map(({ measured: { task, costs } }) => ({ task, tokens: -(costs["tokens"] as number) }));
      const groups = rows.map(({ group }) => group);
      const { share } = priceIndependence(terms, groups);
      expect(share >= 0 && share <= 1).toBe(true);
    }),
    { seed: 4, numRuns: 300 },
  );
});
