import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stepsOf } from "../test/steps.ts";
import { dualAscent, dualController, type BudgetController } from "./index.ts";

const prices = (controller: BudgetController, costs: readonly number[]): number[] =>
  stepsOf(controller, costs).map(({ price, state }) => {
    expect(price).toBe(state.price);
    return price;
  });

/** Eq. 5 as printed. */
function equation5(price: number, eta: number, budget: number, costs: readonly number[]): number[] {
  return costs.map((tokens) => (price = Math.max(0, price + eta * (tokens - budget))));
}

test("Eq. 5 equals a calculation by hand", () => {
  const controller = dualAscent({ targetTokens: 100, learningRate: 0.5, initialPrice: 20 });
  expect(controller.init().price).toBe(20);
  expect(prices(controller, [120, 100, 40, 90, 104])).toEqual([30, 30, 0, 0, 2]);
  expect(controller.step(controller.init(), { tokens: 80, truncatedShare: 1 }).price).toBe(10);
});

const runs = fc.record({
  targetTokens: fc.double({ min: 1e-3, max: 1e5, noNaN: true }),
  learningRate: fc.double({ min: 1e-8, max: 10, noNaN: true }),
  initialPrice: fc.double({ min: 0, max: 10, noNaN: true }),
  costs: fc.array(fc.double({ min: 0, max: 1e5, noNaN: true }), { maxLength: 30 }),
});

test("dual ascent, and a controller with nothing added, are Eq. 5 to the bit", () => {
  fc.assert(
    fc.property(runs, ({ costs, ...options }) => {
      const expected = equation5(options.initialPrice, options.learningRate, options.targetTokens, costs);
      expect(prices(dualAscent(options), costs)).toEqual(expected);
      expect(prices(dualController(options), costs)).toEqual(expected);
    }),
    { seed: 1, numRuns: 300 },
  );
});

test("in units of the budget, only the ratio of cost to budget matters", () => {
  fc.assert(
    fc.property(runs, fc.integer({ min: 2, max: 1000 }), ({ costs, ...options }, scale) => {
      const small = dualController({ ...options, unit: "budget" });
      const large = dualController({ ...options, targetTokens: options.targetTokens * scale, unit: "budget" });
      const perBudget = prices(small, costs).map((price) => price * options.targetTokens);
      const many = costs.map((cost) => cost * scale);
      const scaled = prices(large, many).map((price) => price * options.targetTokens * scale);
      scaled.forEach((price, i) => expect(price).toBeCloseTo(perBudget[i] as number, 5));
    }),
    { seed: 2, numRuns: 200 },
  );
});

test("a budget price is paid per token: 0.5 per 200 tokens, 10 % over with η 0.2", () => {
  const controller = dualController({ targetTokens: 200, learningRate: 0.2, unit: "budget", initialPrice: 0.5 });
  expect(controller.init().price).toBe(0.5 / 200);
  expect(controller.step(controller.init(), { tokens: 220 }).price).toBeCloseTo(0.52 / 200, 15);
});
