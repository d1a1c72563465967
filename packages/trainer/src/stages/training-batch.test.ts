import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { parseTrainConfig } from "../config-schema.ts";
import { tinyParts, tinySettings } from "../testing/index.ts";
import { rollout } from "./rollout.ts";
import { score, type ScoredRollout } from "./score.ts";
import { trainingBatch, type TrainingBatch } from "./training-batch.ts";

/** Two problems, three episodes each, with the rewards given. */
async function batchOf(
  rewards: readonly number[],
  settings: Readonly<Record<string, unknown>>,
  trained: readonly string[] = ["hint", "solver"],
): Promise<TrainingBatch> {
  const config = parseTrainConfig({ ...tinySettings, problemsPerStep: 2, episodesPerProblem: 3, ...settings });
  const parts = tinyParts("star");
  const random = randomFromSeed(1);
  const problems = parts.task.problems(random, 2);
  const scored = score(await rollout(parts, config, parts.model, problems, random), parts.task.grader, config, 0);
  const given = scored.map((each, i): ScoredRollout => ({ ...each, reward: rewards[i] as number }));
  return trainingBatch(given, config, new Set(trained));
}

const rewards = [1, 0, 0.5, 0.2, 0.2, NaN];
const twice = (values: readonly number[]): number[] => values.flatMap((value) => [value, value]);

test("by prompt: an episode's advantage goes to each of its messages; NaN and equal rewards give 0", async () => {
  const batch = await batchOf(rewards, { advantage: { estimator: "group", scale: "none" } });
  expect([...batch.advantages]).toEqual(twice([0.5, -0.5, 0, 0, 0, 0]));
  expect([...batch.episodes]).toEqual(twice([0, 1, 2, 3, 4, 5]));
  expect([...batch.problems]).toEqual(twice([0, 0, 0, 1, 1, 1]));
  expect(batch.utterances.map(({ agent }) => agent).slice(0, 2)).toEqual(["hint", "solver"]);
  expect(batch.diagnostics["rewards/not_applicable"]?.sum).toBe(1);
  expect(batch.diagnostics["frac_reward_zero_std"]).toMatchObject({ sum: 1, count: 2 });
});

test("Eq. 2 as printed divides by the group's sample deviation", async () => {
  const advantage = { estimator: "group", scale: "group", std: "sample", epsilon: 1e-6 };
  const batch = await batchOf(rewards, { advantage });
  expect([...batch.advantages]).toBeAllclose(twice([0.5, -0.5, 0, 0, 0, 0].map((a) => a / (0.5 + 1e-6))));
});

test("leave-one-out: the baseline is the mean of the others", async () => {
  const batch = await batchOf(rewards, { advantage: { estimator: "rloo" } });
  expect([...batch.advantages]).toBeAllclose(twice([0.75, -0.75, 0, 0, 0, 0]));
});

test("by prompt and agent: each agent has a group of its own, and the same baseline here", async () => {
  const settings = { advantage: { estimator: "group", scale: "none" }, groupBy: "prompt+agent" };
  const batch = await batchOf(rewards, settings);
  expect([...batch.advantages]).toEqual(twice([0.5, -0.5, 0, 0, 0, 0]));
  expect(batch.diagnostics["frac_reward_zero_std"]).toMatchObject({ sum: 2, count: 4 });
});

test("only trained agents give sequences: what they read, what they wrote, at which temperature", async () => {
  const batch = await batchOf(rewards, { sampling: { temperature: 0.8 } }, ["solver"]);
  expect(batch.sequences).toHaveLength(6);
  batch.utterances.forEach(({ agent, trace }, i) => {
    expect(agent).toBe("solver");
    expect(batch.sequences[i]).toEqual({
      promptTokens: trace?.promptTokens,
      completionTokens: trace?.tokens,
      temperature: 0.8,
    });
  });
  expect([...batch.advantages]).toEqual([0.5, -0.5, 0, 0, 0, 0]);
});
