import { expect, test } from "vitest";
import { stepsOf } from "../test/steps.ts";
import { dualController, type BudgetOptions, type GuardOptions } from "./index.ts";
import { simulate, simulatedTeam } from "./testing/index.ts";

// Eq. 5 at this speed overshoots a lagging team below 7 tokens; there it falls silent for good.
const team = simulatedTeam({ talkTokens: 60, sensitivity: 40, lag: 0.9, neededTokens: 12, silenceBelow: 7 });
const eager: BudgetOptions = { targetTokens: 14, learningRate: 2e-4, warmupIterations: 5 };
const lateReward = (options: BudgetOptions): number => {
  const { rows } = simulate(dualController(options), team, 600, 1);
  return rows.slice(-100).reduce((sum, row) => sum + row.taskReward, 0) / 100;
};

test("without a guard the team collapses into silence", () => {
  expect(lateReward(eager)).toBeLessThan(0.01);
});

test("a guard that lowers the price saves team and budget", () => {
  const guard: GuardOptions = { action: "lower", rewardTolerance: 0.05, lowerBy: 0.2 };
  expect(lateReward({ ...eager, guard })).toBe(1);
  const { rows } = simulate(dualController({ ...eager, guard }), team, 600, 1);
  expect(rows.some((row) => row.diagnostics.guarded === 1)).toBe(true);
  const late = rows.slice(-100).reduce((sum, row) => sum + row.tokens, 0) / 100;
  expect(Math.abs(late / 14 - 1)).toBeLessThan(0.1);
});

const guarded = (guard: GuardOptions, change: Partial<BudgetOptions> = {}) =>
  dualController({ targetTokens: 10, learningRate: 0.1, initialPrice: 1, maxPrice: 1.5, ...change, guard });

test.each<[string, GuardOptions, number, number, number, number]>([
  ["reward at its limit: the price rises", { action: "freeze", rewardTolerance: 0.1 }, 0.8, 0, 1.5, 0],
  ["reward too low: no rise", { action: "freeze", rewardTolerance: 0.1 }, 0.79, 0, 1, 1],
  ["reward too low: down by 10 %", { action: "lower", rewardTolerance: 0.1 }, 0.79, 0, 0.9, 1],
  ["reward too low: down by half", { action: "lower", rewardTolerance: 0.1, lowerBy: 0.5 }, 0.79, 0, 0.5, 1],
  ["silence at its limit: the price rises", { action: "freeze", maxSilenceRate: 0.4 }, 0, 0.4, 1.5, 0],
  ["too much silence: no rise", { action: "freeze", maxSilenceRate: 0.4 }, 0, 0.41, 1, 1],
  ["either is enough", { action: "freeze", rewardTolerance: 0.1, maxSilenceRate: 0.4 }, 1, 0.5, 1, 1],
])("%s", (_, guard, taskReward, silenceRate, price, flag) => {
  const controller = guarded(guard.rewardTolerance === undefined ? guard : { ...guard, referenceReward: 0.9 });
  const step = controller.step(controller.init(), { tokens: 15, taskReward, silenceRate });
  expect([step.price, step.state.integral]).toBeAllclose([price, price], { relative: 1e-12 });
  // What the guard keeps below its maximum is not there.
  expect(step.diagnostics).toMatchObject({ guarded: flag, saturated: price === 1.5 ? 1 : 0 });
});

const freeze: GuardOptions = { action: "freeze", maxSilenceRate: 0.4 };
const halve: GuardOptions = { action: "lower", maxSilenceRate: 0.4, lowerBy: 0.5 };
const gains = { proportionalGain: 1, derivativeGain: 1 };

test.each<[string, GuardOptions, Partial<BudgetOptions>, [tokens: number, silenceRate: number][], number[]]>([
  [
    "what the guard kept back is not made up for later",
    freeze,
    {},
    [
      [15, 1],
      [15, 0],
    ],
    [1, 1.5],
  ],
  ["a frozen price may still fall", freeze, {}, [[5, 1]], [0.5]],
  [
    "a frozen price does not rise by the proportional or derivative term",
    freeze,
    gains,
    [
      [10, 0],
      [30, 1],
    ],
    [1, 1],
  ],
  ["in units of the budget the guard keeps the price per token", halve, { unit: "budget" }, [[30, 1]], [0.05]],
])("%s", (_, guard, change, measured, prices) => {
  const measurements = measured.map(([tokens, silenceRate]) => ({ tokens, silenceRate }));
  const steps = stepsOf(guarded(guard, change), measurements);
  expect(steps.map(({ price }) => price)).toBeAllclose(prices, { absolute: 1e-15 });
});

test("the reference is the mean reward of the warm-up", () => {
  const controller = guarded({ action: "freeze", rewardTolerance: 0.1 }, { warmupIterations: 2, warmupPrice: 1 });
  const steps = stepsOf(
    controller,
    [0.8, 1, 0.81, 0.79].map((taskReward) => ({ tokens: 15, taskReward })),
  );
  expect(steps[1]?.state.warmup?.reward).toBeCloseTo(0.9, 15);
  expect(steps.slice(2).map(({ diagnostics }) => diagnostics.guarded)).toEqual([0, 1]);
});

test("the state of a controller without a guard has no reference to guard by", () => {
  const stranger = dualController({ targetTokens: 10, learningRate: 0.1, warmupIterations: 1 });
  const { state } = stranger.step(stranger.init(), { tokens: 15, taskReward: 1 });
  const controller = guarded({ action: "freeze", rewardTolerance: 0.1 }, { warmupIterations: 1 });
  expect(() => controller.step(state, { tokens: 15, taskReward: 1 })).toFailWith("input_invalid");
});

test.each([
  ["taskReward", { action: "freeze", rewardTolerance: 0.1, referenceReward: 1 }],
  ["silenceRate", { action: "freeze", maxSilenceRate: 0.5 }],
] as const)("a guard without its %s is refused", (name, guard) => {
  const controller = guarded(guard);
  expect(() => controller.step(controller.init(), { tokens: 15 })).toFailWith("input_invalid", { name });
});
