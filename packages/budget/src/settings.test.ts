import { findShapeMismatch } from "@laconic/core";
import { expect, test } from "vitest";
import { budgetStateShape, dualController, type BudgetMeasurement, type BudgetOptions } from "./index.ts";

const valid: BudgetOptions = { targetTokens: 14, learningRate: 2e-5 };

test("an omitted option is off", () => {
  expect(dualController(valid).settings).toEqual({
    targetTokens: 14,
    learningRate: 2e-5,
    unit: "token",
    initialPrice: 0,
    maxPrice: null,
    warmupIterations: 0,
    warmupPrice: 0,
    annealIterations: 0,
    antiWindup: true,
    truncationTolerance: 0.1,
    proportionalGain: 0,
    derivativeGain: 0,
    derivativeSmoothing: 0,
    guard: null,
  });
});

test.each<[string, Record<string, unknown>]>([
  ["targetTokens", { targetTokens: 0 }],
  ["targetTokens", { targetTokens: -5 }],
  ["targetTokens", { targetTokens: NaN }],
  ["targetTokens", { targetTokens: undefined }],
  ["learningRate", { learningRate: 0 }],
  ["learningRate", { learningRate: -1 }],
  ["learningRate", { learningRate: Infinity }],
  ["unit", { unit: "turn" }],
  ["initialPrice", { initialPrice: -0.1 }],
  ["initialPrice", { initialPrice: 0.2, maxPrice: 0.1 }],
  ["maxPrice", { maxPrice: 0 }],
  ["warmupIterations", { warmupIterations: 1.5 }],
  ["warmupPrice", { warmupPrice: 0 }],
  ["warmupPrice", { warmupPrice: 1, maxPrice: 0.1, warmupIterations: 5 }],
  ["annealIterations", { annealIterations: 5 }],
  ["truncationTolerance", { truncationTolerance: 0.2, antiWindup: false }],
  ["truncationTolerance", { truncationTolerance: 1 }],
  ["proportionalGain", { proportionalGain: -1 }],
  ["derivativeSmoothing", { derivativeSmoothing: 0.5 }],
  ["derivativeSmoothing", { derivativeSmoothing: 0.5, derivativeGain: 0 }],
  ["derivativeSmoothing", { derivativeSmoothing: 1, derivativeGain: 1 }],
  ["guard", { guard: { action: "freeze" } }],
  ["guard.action", { guard: { action: "stop", maxSilenceRate: 0.5 } }],
  ["guard.rewardTolerance", { guard: { action: "freeze", rewardTolerance: 0.1 } }],
  ["guard.referenceReward", { guard: { action: "freeze", referenceReward: 1, maxSilenceRate: 0.5 } }],
  ["guard.lowerBy", { guard: { action: "freeze", maxSilenceRate: 0.5, lowerBy: 0.5 } }],
  ["guard.maxSilenceRate", { guard: { action: "freeze", maxSilenceRate: 1 } }],
  ["guard.patience", { guard: { action: "freeze", maxSilenceRate: 0.5, patience: 3 } }],
  ["targetToken", { targetToken: 14 }],
])("%s is refused and named: %j", (key, change) => {
  expect(() => dualController({ ...valid, ...change })).toFailWith("config_invalid", `budget.${key}: `, {
    key: `budget.${key}`,
  });
});

test.each<[string, Record<string, unknown>]>([
  ["tokens", { tokens: NaN }],
  ["tokens", { tokens: Infinity }],
  ["tokens", { tokens: -1 }],
  ["tokens", {}],
  ["taskReward", { tokens: 1, taskReward: NaN }],
  ["silenceRate", { tokens: 1, silenceRate: 1.5 }],
  ["truncatedShare", { tokens: 1, truncatedShare: -0.5 }],
])("a measurement with bad %s is refused: %j", (name, measurement) => {
  const controller = dualController(valid);
  expect(() => controller.step(controller.init(), measurement as unknown as BudgetMeasurement)).toFailWith(
    "numeric_invalid",
    { name },
  );
});

const state = dualController(valid).init();

test.each<[string, unknown]>([
  ["price", { ...state, price: -1 }],
  ["price", { ...state, price: NaN }],
  ["integral", { ...state, integral: undefined }],
  ["iteration", { ...state, iteration: 0.5 }],
  ["extra", { ...state, extra: 1 }],
])("a stored state with bad %s is rejected", (path, stored) => {
  expect(findShapeMismatch(budgetStateShape, stored)?.path.join(".")).toBe(path);
});
