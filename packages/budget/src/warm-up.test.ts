import { expect, test } from "vitest";
import { stepsOf } from "../test/steps.ts";
import { dualController } from "./index.ts";

test("the price is frozen for n iterations, then starts at its initial value and follows Eq. 5", () => {
  const controller = dualController({ targetTokens: 10, learningRate: 0.1, initialPrice: 2, warmupIterations: 3 });
  const steps = stepsOf(controller, [30, 40, 50, 12, 13]);
  expect(steps.map((step) => step.paid)).toEqual([0, 0, 0, 2, 2.2]);
  expect(steps.map((step) => step.diagnostics.warmup)).toEqual([1, 1, 1, 0, 0]);
  const flags = steps.map(({ diagnostics: { saturated, held, guarded } }) => [saturated, held, guarded]);
  expect(flags).toEqual(steps.map(() => [0, 0, 0]));
  expect(steps.at(-1)?.state.price).toBeCloseTo(2.5, 15);
});

test("a warm-up can have its own price", () => {
  const options = { targetTokens: 10, learningRate: 0.1, warmupIterations: 1, warmupPrice: 0.5 };
  expect(stepsOf(dualController(options), [10, 10]).map((step) => step.paid)).toEqual([0.5, 0]);
});

test("the target falls from the mean of the warm-up to the budget in m iterations", () => {
  const controller = dualController({ targetTokens: 10, learningRate: 1, warmupIterations: 2, annealIterations: 4 });
  const steps = stepsOf(controller, [40, 60, 50, 50, 50, 50, 50, 50]);
  expect(steps.map((step) => step.diagnostics.target)).toEqual([10, 10, 50, 40, 30, 20, 10, 10]);
  expect(steps.slice(2).map((step) => step.state.price)).toEqual([0, 10, 30, 60, 100, 140]);
  expect(steps[1]?.state.warmup).toEqual({ tokens: 50, reward: null });
});

test("a team below budget already is not given a tighter target", () => {
  const controller = dualController({ targetTokens: 10, learningRate: 1, warmupIterations: 1, annealIterations: 4 });
  const steps = stepsOf(controller, [6, 10, 10]);
  expect(steps.map((step) => step.diagnostics.target)).toEqual([10, 10, 10]);
});

test("the violation is relative to the annealed target in units of the budget", () => {
  const options = { targetTokens: 10, learningRate: 1, warmupIterations: 1, annealIterations: 2 };
  const controller = dualController({ ...options, unit: "budget" });
  const steps = stepsOf(controller, [30, 30, 30, 30]);
  expect(steps.map((step) => step.diagnostics.violation)).toEqual([2, 0, 0.5, 2]);
  expect(steps.at(-1)?.state.price).toBeCloseTo(2.5 / 10, 15);
});
