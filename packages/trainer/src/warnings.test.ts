import { randomFromSeed, statisticOf } from "@laconic/core";
import { emptyStatistic } from "@laconic/core/numeric";
import { expect, test } from "vitest";
import { asynchronousDefaults } from "./settings/config.ts";
import { objectiveOf } from "./settings/named.ts";
import { parseTrainConfig } from "./settings/parse-train-config.ts";
import { scoredRollouts } from "../test/scored-rollouts.ts";
import type { ScoredRollout } from "./stages/score.ts";
import { tinyParts } from "./testing/index.ts";
import { budgetWarning, configWarnings, stepWarnings } from "./warnings.ts";

function warningsOf(settings: object): string[] {
  const config = parseTrainConfig(settings);
  return configWarnings({ config, objective: objectiveOf(config.objective) });
}

test("the defaults have no trap", () => {
  expect(warningsOf({})).toEqual([]);
});

test.each([
  [{ minibatches: 1 }, /ratios are 1 and clips have no effect/],
  [{ sampling: { temperature: 1, topP: 0.9 } }, /sampling: topP truncates/],
  [{ sampling: { temperature: 1, topK: 5 } }, /sampling: topK truncates/],
  [{ sampling: { temperature: 1, minP: 0.1 } }, /sampling: minP truncates/],
  [{ steps: 5 }, /the run has 10 optimizer steps, so 10 steps of warm-up/],
  [{ objective: { name: "gspo", clip: { low: 0.2, high: 0.2 } } }, /GRPO's width/],
])("%j warns: %s", (settings, words) => {
  expect(warningsOf(settings).join("\n")).toMatch(words);
});

test.each([
  { minibatches: 1, epochs: 2 },
  { minibatches: 1, refreshOldPolicyEvery: 2 },
  { minibatches: 1, objective: { name: "reinforce" } },
  { steps: 6 },
  { sampling: { temperature: 0.7, topP: 1, minP: 0 } },
])("does not accept %j", (settings) => {
  expect(warningsOf(settings)).toEqual([]);
});

async function scoredWith(grades: readonly number[], tokens: readonly number[]): Promise<ScoredRollout[]> {
  const config = parseTrainConfig({ problemsPerStep: 2, episodesPerProblem: 2 });
  const parts = tinyParts();
  const random = randomFromSeed(3);
  const problems = parts.task.problems(random, 2);
  const scored = await scoredRollouts(parts, config, problems, random, 0.1);
  return scored.map((each, i) => ({
    ...each,
    terms: { task: grades[i] as number, tokens: -0.1 * (tokens[i] as number) },
  }));
}

const group = parseTrainConfig({ problemsPerStep: 2, episodesPerProblem: 2 });

test("Eq. 2 makes a price inert where groups differ in tokens alone", async () => {
  const [inert, mixed] = [await scoredWith([1, 1, 0, 0], [2, 3, 2, 4]), await scoredWith([1, 0, 0, 1], [2, 3, 2, 4])];
  expect(stepWarnings(group, inert, emptyStatistic)).toEqual([expect.stringContaining("advantage.scale none")]);
  expect(stepWarnings(group, mixed, emptyStatistic)).toEqual([]);
  const meanOnly = { ...group, advantage: { estimator: "group", scale: "none" } } as const;
  expect(stepWarnings(meanOnly, inert, emptyStatistic)).toEqual([]);
});

test("a trusted sampler with other kernels is reported by its gap", async () => {
  const mixed = await scoredWith([1, 0, 0, 1], [2, 3, 2, 4]);
  const sampler = { ...group, oldLogProbs: "sampler" } as const;
  expect(stepWarnings(sampler, mixed, statisticOf([0, 0.01]))).toEqual([expect.stringContaining("other kernels")]);
  expect(stepWarnings(sampler, mixed, statisticOf([1e-5]))).toEqual([]);
  expect(stepWarnings(group, mixed, statisticOf([0.01]))).toEqual([]);
});

test("a sampler far from the trainer is reported until its samples are weighted", async () => {
  const mixed = await scoredWith([1, 0, 0, 1], [2, 3, 2, 4]);
  const importance = { kind: "truncate", level: "token", cap: 2 } as const;
  const weighed = { ...group, objective: { ...group.objective, importance } };
  const late = { ...group, asynchronous: asynchronousDefaults };
  expect(stepWarnings(group, mixed, statisticOf([0, 0.1]))).toEqual([expect.stringContaining("objective.importance")]);
  expect(stepWarnings(group, mixed, statisticOf([0, 0.03]))).toEqual([]);
  expect(stepWarnings(weighed, mixed, statisticOf([0, 0.1]))).toEqual([]);
  expect(stepWarnings(late, mixed, statisticOf([0, 0.1]))).toEqual([]);
});

test("a budget below one token a turn gets a warning: silence alone exceeds it", async () => {
  const scored = await scoredWith([1, 0, 0, 1], [2, 3, 2, 4]);
  const turns = Math.min(...scored.map(({ episode }) => episode.ledger.calls.length));
  const told = (targetTokens: number, more = {}) =>
    budgetWarning({ ...group, budget: { targetTokens, learningRate: 0.1 }, ...more }, scored);
  expect(told(turns - 0.5)).toContain(`fewer than the ${turns} turns of an episode`);
  expect(told(turns)).toBeNull();
  expect(told(turns - 0.5, { budget: null })).toBeNull();
  expect(told(turns - 0.5, { costs: { tokens: { kind: "tokens-written", by: "a" } } })).toBeNull();
  expect(budgetWarning({ ...group, budget: { targetTokens: 0.5, learningRate: 0.1 } }, [])).toBeNull();
});

test("a step without tokens gets a warning", async () => {
  const spoken = await scoredWith([1, 0, 0, 1], [2, 3, 2, 4]);
  const silent = spoken.map((each) => ({
    ...each,
    episode: { ...each.episode, utterances: each.episode.utterances.map((turn) => ({ ...turn, silent: true })) },
  }));
  expect(stepWarnings(group, silent, emptyStatistic)).toEqual([
    expect.stringContaining("every turn of a step was silent"),
  ]);
});
