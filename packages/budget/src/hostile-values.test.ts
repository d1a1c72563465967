import { isDeepStrictEqual } from "node:util";
import { LaconicError, findShapeMismatch } from "@laconic/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { budgetStateShape, dualController, type BudgetMeasurement, type BudgetOptions } from "./index.ts";

const positive: fc.Arbitrary<number> = fc.oneof(
  fc.double({ noNaN: true, min: 1e-3, max: 1e3 }),
  fc.constantFrom(5e-324, 1e-320, 1e-154, 1e154, 1e300, 1e308, Number.MAX_VALUE),
);
const fromZero = fc.oneof(positive, fc.constant(0));
const share = fc.double({ noNaN: true, min: 0, max: 1 });

const options: fc.Arbitrary<BudgetOptions> = fc.record(
  {
    targetTokens: positive,
    learningRate: positive,
    unit: fc.constantFrom("token", "budget"),
    maxPrice: positive,
    warmupIterations: fc.constantFrom(1, 2),
    antiWindup: fc.boolean(),
    proportionalGain: fromZero,
    derivativeGain: positive,
    guard: fc.constant({ action: "lower", rewardTolerance: 0.1, maxSilenceRate: 0.5 } as const),
  },
  { requiredKeys: ["targetTokens", "learningRate", "warmupIterations"] },
) as fc.Arbitrary<BudgetOptions>;

const measurements: fc.Arbitrary<BudgetMeasurement[]> = fc.array(
  fc.record({
    tokens: fromZero,
    taskReward: fc.oneof(
      share,
      fromZero,
      positive.map((value) => -value),
    ),
    silenceRate: share,
    truncatedShare: share,
  }),
  { minLength: 1, maxLength: 8 },
);

function outcome(chosen: BudgetOptions, costs: readonly BudgetMeasurement[]): string {
  try {
    const controller = dualController(chosen);
    let state = controller.init();
    for (const cost of costs) {
      const step = controller.step(state, cost);
      ({ state } = step);
      const stored: unknown = JSON.parse(JSON.stringify(state));
      if (findShapeMismatch(budgetStateShape, stored) !== null || !isDeepStrictEqual(stored, state))
        return "a state that JSON does not hold";
      if (!Object.values(step.diagnostics).every(Number.isFinite)) return "a diagnostic that is not finite";
    }
    return "finite";
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

test("finite settings and measurements give a state that JSON holds, or an error that names what overflowed", () => {
  const outcomes = new Map<string, number>();
  fc.assert(
    fc.property(options, measurements, (chosen, costs) => {
      const match = outcome(chosen, costs);
      expect(match).toMatch(
        /^(?:finite$|numeric_invalid: .*the (?:price|integral|violation|smoothedTokens|tokens|reward) became )/u,
      );
      outcomes.set(match, (outcomes.get(match) ?? 0) + 1);
    }),
    { seed: 1, numRuns: 2000 },
  );
  expect(outcomes.get("finite")).toBeGreaterThan(500);
  expect(outcomes.size).toBeGreaterThan(1);
});

test("a price is at most its maximum, and never falls by a truncated cost, whatever came before", () => {
  const ordinary = fc.record({
    tokens: fc.double({ noNaN: true, min: 0, max: 60 }),
    truncatedShare: fc.constantFrom(0, 0.05, 0.5, 1),
  });
  fc.assert(
    fc.property(fc.array(ordinary, { maxLength: 30 }), fc.boolean(), (costs, relative) => {
      const controller = dualController({
        targetTokens: 20,
        learningRate: relative ? 0.02 : 1e-3,
        unit: relative ? "budget" : "token",
        maxPrice: relative ? 0.4 : 0.02,
      });
      let state = controller.init();
      for (const cost of costs) {
        const { price } = state;
        ({ state } = controller.step(state, cost));
        expect(state.price).toBeLessThanOrEqual(0.02);
        const fell = state.price < price;
        const rose = state.price > price;
        expect(fell && cost.truncatedShare > 0.1).toBe(false);
        // Above budget a price that is not at its maximum rises: nothing freezes it.
        expect(rose || cost.tokens <= 20.001 || price >= 0.019).toBe(true);
      }
    }),
    { seed: 2, numRuns: 300 },
  );
});
