import { statisticMean, type Advantages, type RewardBatch } from "@laconic/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decoupledAdvantages, decoupledEstimator, type DecoupledOptions, type MeasuredReward } from "./index.ts";
import published from "./decoupled-advantages.cases.json" with { type: "json" };

const row = (task: number, tokens: number, turns = 0): MeasuredReward => ({ task, costs: { tokens, turns } });
const lengths = [100, 200, 300, 50, 10, 20, 40, 30];
const turns = [3, 2, 3, 1, 2, 2, 3, 2];
const measured = [1, 0, 1, 0, 1, 1, 1, 1].map((task, i) => row(task, lengths[i] ?? 0, turns[i]));
const groups = [0, 0, 0, 0, 1, 1, 1, 1];
const options: DecoupledOptions = { weights: { tokens: 0.5, turns: 0.25 }, costs: "z-score" };
const advantages = (rows: readonly MeasuredReward[], of: ArrayLike<number>, change: Partial<DecoupledOptions> = {}) =>
  Array.from(decoupledAdvantages(rows, of, { ...options, ...change }).advantages);

function expectClose(matches: readonly number[], expected: readonly number[]): void {
  expect(matches).toHaveLength(expected.length);
  matches.forEach((value, i) => expect(value).toBeCloseTo(expected[i] as number, 12));
}

// From TRL 1.13.0's normalize_then_sum formula, run in torch float64 on the same rows with weights 1, -0.5, -0.25.
test.each(published as unknown as [string, Partial<DecoupledOptions>, readonly number[]][])(
  "equals %s",
  (_, change, expected) => expectClose(advantages(measured, groups, change), expected),
);

const right = [100, 200, 300, 400].map((tokens) => row(1, tokens));

test("the weight is what decides, also where all answers are right", () => {
  for (const weight of [1e-6, 1e-3, 0.1]) {
    const [first] = advantages(right, [0, 0, 0, 0], { weights: { tokens: weight } });
    expect((first as number) / weight).toBeCloseTo(150 / (Math.sqrt(50000 / 3) + 1e-4), 9);
  }
});

test("centred costs keep the price of a token: no spread of the group divides it", () => {
  expectClose(
    advantages(right, [0, 0, 0, 0], { costs: "centred", weights: { tokens: 0.002 } }),
    [0.3, 0.1, -0.1, -0.3],
  );
});

test("costs on success only: compared among the successes, 0 for the others", () => {
  const rows = [row(1, 10), row(1, 30), row(0, 5), row(0, 500)];
  const change: Partial<DecoupledOptions> = {
    costs: "centred",
    weights: { tokens: 0.01 },
    epsilon: 0,
    costWhenTaskAtLeast: 1,
  };
  const z = 0.5 / Math.sqrt(1 / 3);
  expectClose(advantages(rows, [0, 0, 0, 0], change), [z + 0.1, z - 0.1, -z, -z]);
  const { costWhenTaskAtLeast: _, ...always } = change;
  expectClose(advantages([row(-1, 10), row(-1, 30)], [0, 0], always), [0.1, -0.1]);
});

test("a task that does not apply leaves the baselines and gets exactly 0", () => {
  const withOut = [row(NaN, 1e6), ...measured.slice(0, 4)];
  for (const batch of ["none", "sequence"] as const) {
    const matches = advantages(withOut, [0, 0, 0, 0, 0], { batch });
    expect(matches[0]).toBe(0);
    expectClose(matches.slice(1), advantages(measured.slice(0, 4), [0, 0, 0, 0], { batch }));
  }
});

test("a cost that does not apply leaves its own baseline only", () => {
  const rows = [row(1, NaN), row(0, 10), row(0, 30)];
  const change: Partial<DecoupledOptions> = { costs: "centred", weights: { tokens: 0.01 }, epsilon: 0 };
  const std = Math.sqrt((4 / 9 + 1 / 9 + 1 / 9) / 2);
  expectClose(advantages(rows, [0, 0, 0], change), [2 / 3 / std, -1 / 3 / std + 0.1, -1 / 3 / std - 0.1]);
});

test("groups of one and groups without spread get exactly 0 and are counted", () => {
  const { advantages: match, diagnostics } = decoupledAdvantages(
    [row(1, 5), row(0.3, 7), row(0.1 + 0.2, 7), row(NaN, 1)],
    [4, 9, 9, 9],
    { weights: { tokens: 1 }, costs: "z-score", batch: "sequence" },
  );
  expect(Array.from(match)).toEqual([0, 0, 0, 0]);
  expect(statisticMean(diagnostics["groups/size_one"]!)).toBe(0.5);
  expect(statisticMean(diagnostics["frac_zero_std/task"]!)).toBe(1);
  expect(statisticMean(diagnostics["frac_zero_std/tokens"]!)).toBe(1);
  expect(statisticMean(diagnostics["rewards/not_applicable"]!)).toBe(0.25);
  expect(diagnostics["advantages"]).toEqual({ sum: 0, count: 4, min: 0, max: 0 });
  // A group in which nothing applies has no spread to tell of.
  const [alone, pair] = [row(NaN, 1), [row(1, 1), row(0, 2)]];
  const mixed = decoupledAdvantages([alone, ...pair, ...pair], [0, 1, 1, 2, 2], options).diagnostics;
  expect(mixed["frac_zero_std/task"]).toMatchObject({ sum: 0, count: 2 });
  expect(mixed["groups/size_one"]).toMatchObject({ sum: 1, count: 3 });
});

test("an episode without a score, whose only term is the task, leaves those without that term theirs", async () => {
  const [terms, costs] = [{ win: [1, 1, NaN], task: [NaN, NaN, NaN] }, { tokens: [10, 30, 5] }];
  const batch = { rewards: [0.9, 0.7, NaN], groups: [0, 0, 0], terms, costs, prices: { tokens: 0.01 } };
  const estimator = decoupledEstimator({ costs: "centred" });
  const match: Advantages = await estimator.estimate(batch as unknown as RewardBatch, undefined);
  expectClose(Array.from(match.advantages), [0.1, -0.1, 0]);
  expect(match.diagnostics?.["rewards/not_applicable"]?.sum).toBe(1);
});

test("an empty batch gives nothing", () => {
  expect(decoupledAdvantages([], [], options).advantages).toHaveLength(0);
});

const batches = fc
  .array(fc.tuple(fc.constantFrom(0, 0.5, 1, NaN), fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 3 })), {
    minLength: 1,
    maxLength: 24,
  })
  .map((drawn) => ({ rows: drawn.map(([task, tokens]) => row(task, tokens)), of: drawn.map(([, , group]) => group) }));

test("advantages of a group sum to 0, and a shift or scale of the cost does not change them", () => {
  fc.assert(
    fc.property(batches, ({ rows, of }) => {
      const change: Partial<DecoupledOptions> = { weights: { tokens: 0.7 }, epsilon: 0 };
      const matches = advantages(rows, of, change);
      for (const group of new Set(of)) {
        const sum = matches.filter((_, i) => of[i] === group).reduce((total, value) => total + value, 0);
        expect(Math.abs(sum)).toBeLessThan(1e-9);
      }
      const moved = rows.map(({ task, costs }) => row(task, 3 * (costs["tokens"] as number) + 8));
      expectClose(advantages(moved, of, change), matches);
    }),
    { seed: 3, numRuns: 300 },
  );
});

test.each<[string, string, () => unknown]>([
  ["config_invalid", "a weight of an unknown cost", () => advantages(measured, groups, { weights: { words: 1 } })],
  ["config_invalid", "a negative weight", () => advantages(measured, groups, { weights: { tokens: -1 } })],
  ["config_invalid", "a negative epsilon", () => advantages(measured, groups, { epsilon: -1 })],
  ["config_invalid", "a threshold of 0", () => advantages(measured, groups, { costWhenTaskAtLeast: 0 })],
  ["config_invalid", "an unknown std", () => advantages(measured, groups, { std: "biased" as "sample" })],
  ["config_invalid", "an unknown batch", () => advantages(measured, groups, { batch: "token" as "none" })],
  ["config_invalid", "an unknown cost scale", () => advantages(measured, groups, { costs: "raw" as "centred" })],
  ["input_invalid", "a missing group id", () => advantages(measured, [0])],
  ["input_invalid", "an episode without the cost", () => advantages([row(1, 1), { task: 1, costs: {} }], [0, 0])],
  ["numeric_invalid", "a cost too large to square", () => advantages([row(1, 1e308), row(1, -1e308)], [0, 0])],
])("%s for %s", (code, _, run) => {
  expect(run).toThrowError(expect.objectContaining({ code }));
});
