import { describe, expect, test } from "vitest";
import { findShapeMismatch } from "@laconic/core";
import { budgetStateShape, dualAscent, dualController, type BudgetController, type BudgetState } from "./index.ts";
import { stepsOf } from "../test/steps.ts";
import { simulate, simulatedTeam, type SimulatedIteration } from "./testing/index.ts";

const meanTokens = (rows: readonly SimulatedIteration[]): number =>
  rows.reduce((sum, row) => sum + row.tokens, 0) / rows.length;

// A team of 60 tokens that keeps 14 at price ln(60 / 14) / 40 = 0.0364.
const talk = { talkTokens: 60, sensitivity: 40, noise: 1 };
const priceOf14 = Math.log(60 / 14) / 40;
const base = { targetTokens: 14, learningRate: 2e-5 };
const controllers: Readonly<Record<string, BudgetController>> = {
  "Eq. 5": dualAscent(base),
  "Eq. 5, ten times faster": dualAscent({ ...base, learningRate: 2e-4 }),
  "units of the budget": dualController({ targetTokens: 14, learningRate: 0.005, unit: "budget" }),
  "warm-up, annealing and a price cap": dualController({
    ...base,
    learningRate: 1e-4,
    initialPrice: 0.002,
    maxPrice: 0.05,
    warmupIterations: 40,
    annealIterations: 100,
  }),
  PID: dualController({ ...base, proportionalGain: 5e-4, derivativeGain: 5e-4, derivativeSmoothing: 0.5 }),
  "without anti-windup": dualController({ ...base, antiWindup: false, maxPrice: 1 }),
};

describe.each(Object.entries(controllers))("%s", (_, controller) => {
  test.each([
    [0, 1],
    [0, 2],
    [0.9, 1],
    [0.9, 2],
  ])("keeps the budget within 10 %% when the team lags %d (seed %i)", (lag, seed) => {
    const { rows, end } = simulate(controller, simulatedTeam({ ...talk, lag }), 1000, seed);
    expect(rows[0]?.tokens).toBeGreaterThan(50);
    expect(Math.abs(meanTokens(rows.slice(-200)) / 14 - 1)).toBeLessThan(0.1);
    expect(Math.abs(end.controller.price / priceOf14 - 1)).toBeLessThan(0.1);
  });
});

test("a state written down and read back continues bit for bit", () => {
  const team = simulatedTeam({ ...talk, lag: 0.5, neededTokens: 14 });
  const controller = dualController({
    ...base,
    maxPrice: 0.05,
    warmupIterations: 10,
    annealIterations: 20,
    proportionalGain: 1e-4,
    derivativeGain: 1e-4,
    derivativeSmoothing: 0.5,
    guard: { action: "lower", rewardTolerance: 0.1 },
  });
  const whole = simulate(controller, team, 80, 3);
  for (const cut of [0, 5, 10, 25, 60]) {
    const before = simulate(controller, team, cut, 3);
    const stored = JSON.parse(JSON.stringify(before.end.controller)) as BudgetState;
    expect(findShapeMismatch(budgetStateShape, stored)).toBe(null);
    const after = simulate(controller, team, 80 - cut, { controller: stored, team: before.end.team });
    expect([...before.rows, ...after.rows]).toEqual(whole.rows);
    expect(after.end).toEqual(whole.end);
  }
});

test("a team that is cheap enough is never charged", () => {
  const { rows } = simulate(dualAscent(base), simulatedTeam({ talkTokens: 9, sensitivity: 40 }), 50, 1);
  expect(rows.every((row) => row.price === 0 && row.diagnostics.slack === 5)).toBe(true);
});

test("a fast integral overshoots a lagging team; PID and annealing do so less", () => {
  const lagging = simulatedTeam({ talkTokens: 60, sensitivity: 40, lag: 0.9 });
  const fast = { targetTokens: 14, learningRate: 2e-4 };
  const fewest = (controller: BudgetController): number =>
    Math.min(...simulate(controller, lagging, 1000, 1).rows.map(({ tokens }) => tokens));
  const plain = fewest(dualAscent(fast));
  const damped = fewest(dualController({ ...fast, proportionalGain: 2e-3 }));
  const annealed = fewest(dualController({ ...fast, warmupIterations: 5, annealIterations: 200 }));
  expect(plain).toBeLessThan(6.5);
  expect(damped).toBeGreaterThan(10);
  expect(annealed).toBeGreaterThan(13);
});

test("the derivative answers a sudden increase, and never a decrease", () => {
  const controller = dualController({ ...base, derivativeGain: 1e-3 });
  const [, up, down] = stepsOf(controller, [14, 34, 14]);
  expect(up?.price).toBeCloseTo(2e-5 * 20 + 1e-3 * 20, 15);
  expect(down?.price).toBeCloseTo(2e-5 * 20, 15);
});

test("smoothing spreads the increase: half of it counts at once", () => {
  const controller = dualController({ ...base, derivativeGain: 1e-3, derivativeSmoothing: 0.5 });
  const [, second] = stepsOf(controller, [14, 34]);
  expect(second?.price).toBeCloseTo(2e-5 * 20 + 1e-3 * 10, 15);
  expect(second?.state.smoothedTokens).toBe(24);
});

test("the increase is relative in units of the budget too", () => {
  const controller = dualController({ targetTokens: 20, learningRate: 0.1, unit: "budget", derivativeGain: 0.5 });
  expect(stepsOf(controller, [20, 30])[1]?.price).toBeCloseTo((0.1 * 0.5 + 0.5 * 0.5) / 20, 15);
});
