import type { GroupKey } from "@laconic/gspo";
import { randomFromSeed, type Utterance, type UnknownRecord } from "@laconic/core";
import { expect, test } from "vitest";
import { scoredRollouts } from "../../test/scored-rollouts.ts";
import { estimatorOf } from "../settings/named.ts";
import { parseTrainConfig } from "../settings/parse-train-config.ts";
import { tinyParts, tinySettings } from "../testing/index.ts";
import type { ScoredRollout } from "./score.ts";
import { trainingBatch, type TrainingBatch } from "./training-batch.ts";

async function batchOf(
  rewards: readonly number[],
  settings: UnknownRecord,
  trained: readonly string[] = ["hint", "solver"],
  change: (scored: ScoredRollout) => ScoredRollout = (scored) => scored,
  tokenPrice = 0,
): Promise<TrainingBatch> {
  const config = parseTrainConfig({ ...tinySettings, problemsPerStep: 2, episodesPerProblem: 3, ...settings });
  const parts = tinyParts("star");
  const random = randomFromSeed(1);
  const problems = parts.task.problems(random, 2);
  const scored = await scoredRollouts(parts, config, problems, random);
  const given = scored.map((each, i): ScoredRollout => change({ ...each, reward: rewards[i] as number }));
  return trainingBatch(given, config.sampling.temperature as number, new Set(trained), {
    estimator: estimatorOf(config),
    state: undefined,
    groupBy: config.groupBy as GroupKey,
    weightBy: config.weightBy,
    prices: { ...config.prices, tokens: tokenPrice },
  });
}

const rewards = [1, 0, 0.5, 0.2, 0.2, NaN];
const twice = (values: readonly number[]): number[] => values.flatMap((value) => [value, value]);

test("groups by prompt: an episode's advantage goes to each of its messages; NaN and equal rewards give 0", async () => {
  const batch = await batchOf(rewards, { advantage: { estimator: "group", scale: "none" } });
  expect([...batch.advantages]).toEqual(twice([0.5, -0.5, 0, 0, 0, 0]));
  expect([...batch.episodes]).toEqual(twice([0, 1, 2, 3, 4, 5]));
  expect([...batch.problems]).toEqual(twice([0, 0, 0, 1, 1, 1]));
  expect(batch.utterances.map(({ agent }) => agent).slice(0, 2)).toEqual(["hint", "solver"]);
  expect(batch.diagnostics["rewards/not_applicable"]?.sum).toBe(1);
  expect(batch.diagnostics["frac_reward_zero_std"]).toMatchObject({ sum: 1, count: 2 });
});

test("a turn without tokens needs no trace: a team silenced its agent", async () => {
  const skip = ({ trace, ...utterance }: Utterance): Utterance => {
    expect(trace).toBeDefined();
    return { ...utterance, text: "", writtenTokens: 0 };
  };
  const batch = await batchOf(rewards, {}, ["hint", "solver"], ({ episode, ...scored }) => {
    const utterances = episode.utterances.map((turn) => (turn.agent === "hint" ? skip(turn) : turn));
    return { ...scored, episode: { ...episode, utterances } };
  });
  expect(batch.utterances.map(({ agent }) => agent)).toEqual(rewards.map(() => "solver"));
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

test("groups by prompt and agent: each agent has a separate group, and here an equal baseline", async () => {
  const settings = { advantage: { estimator: "group", scale: "none" }, groupBy: "prompt+agent" };
  const batch = await batchOf(rewards, settings);
  expect([...batch.advantages]).toEqual(twice([0.5, -0.5, 0, 0, 0, 0]));
  expect(batch.diagnostics["frac_reward_zero_std"]).toMatchObject({ sum: 2, count: 4 });
});

test.each([
  ["episode", 0.5, -0.5],
  ["turn", 5 / 6, -1 / 6],
])("by prompt and agent, an agent's turns count as one %s each", async (weightBy, won, lost) => {
  const spoken = ({ episode, ...each }: ScoredRollout): ScoredRollout => {
    const [first] = episode.utterances;
    const turns = each.reward === 1 ? 1 : 5;
    return {
      ...each,
      episode: { ...episode, utterances: Array.from({ length: turns }, (_, turn) => ({ ...first!, turn })) },
    };
  };
  const settings = { advantage: { estimator: "group", scale: "none" }, groupBy: "prompt+agent", weightBy };
  const batch = await batchOf([1, 0, NaN, 1, 0, NaN], settings, ["hint"], spoken);
  const expected = [1, 0, NaN, 1, 0, NaN].flatMap((reward) =>
    Number.isNaN(reward) ? [0, 0, 0, 0, 0] : reward === 1 ? [won] : [lost, lost, lost, lost, lost],
  );
  expect([...batch.advantages]).toBeAllclose(expected);
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

test("decoupled: task and tokens are normalised apart, and the price of a token is the weight of its cost", async () => {
  // Two groups of three with these tasks and tokens; no repetition, equal numbers of turns.
  const task = [1, 0, 1, 1, 1, 1];
  const tokens = [4, 4, 8, 2, 4, 6];
  let next = 0;
  const measured = (each: ScoredRollout): ScoredRollout => {
    const i = next++;
    return {
      ...each,
      measured: { task: task[i] as number, costs: { tokens: tokens[i] as number, turns: 2, repetition: 0 } },
    };
  };
  const advantage = { estimator: "decoupled", costs: "z-score", epsilon: 0 };
  const batch = await batchOf(rewards, { advantage, prices: {} }, undefined, measured, 0.5);
  const a = Math.sqrt(1 / 3); // z-scores of 1, 0, 1 are a, -2a, a; of 4, 4, 8 they are -a, -a, 2a; of 2, 4, 6: -1, 0, 1
  expect([...batch.advantages]).toBeAllclose(twice([a + a / 2, -2 * a + a / 2, a - a, 0.5, 0, -0.5]), {
    absolute: 1e-12,
  });
  expect(batch.diagnostics["frac_zero_std/task"]).toMatchObject({ sum: 1, count: 2 });
  expect(batch.diagnostics["frac_zero_std/tokens"]).toMatchObject({ sum: 0, count: 2 });
});

const withUtterances =
  (change: (utterance: Utterance) => Utterance) =>
  (each: ScoredRollout): ScoredRollout => ({
    ...each,
    episode: { ...each.episode, utterances: each.episode.utterances.map(change) },
  });

test("an utterance without a token is skipped and counted", async () => {
  const advantage = { estimator: "group", scale: "none" };
  const trace = { promptTokens: [1], tokens: [], logProbs: [] };
  const emptied = withUtterances((utterance) =>
    utterance.agent === "hint" ? { ...utterance, text: "", silent: true, trace } : utterance,
  );
  const batch = await batchOf(rewards, { advantage }, undefined, emptied);
  expect([batch.sequences.length, batch.empty]).toEqual([6, 6]);
  expect([...batch.advantages]).toEqual([0.5, -0.5, 0, 0, 0, 0]);
});

test("a trained agent whose model reports no tokens is refused by name", async () => {
  const untraced = withUtterances((utterance) => {
    const { trace, ...rest } = utterance;
    return trace ? rest : utterance;
  });
  await expect(batchOf(rewards, {}, ["solver"], untraced)).rejects.toFailWith("input_invalid", {
    agent: "solver",
    model: "tabular",
  });
});

const reporting = (change: (logProbs: readonly number[]) => number[]): ((each: ScoredRollout) => ScoredRollout) => {
  let next = 0;
  return (each) => {
    if (next++ !== 1) return each;
    const utterances = each.episode.utterances.map((utterance) => {
      const { agent, trace } = utterance;
      return agent === "solver" && trace
        ? { ...utterance, trace: { ...trace, logProbs: change(trace.logProbs) } }
        : utterance;
    });
    return { ...each, episode: { ...each.episode, utterances } };
  };
};

test.each([0.5, -9999, -1e30, -Infinity, NaN])(
  "a log-prob of %d, which no sampled token has, is refused with episode, agent, turn and token",
  async (value) => {
    const changed = reporting((logProbs) => logProbs.with(0, value));
    await expect(batchOf(rewards, {}, ["hint", "solver"], changed)).rejects.toFailWith(
      "numeric_invalid",
      `episode 1, agent "solver", turn 1, token 0: its sampler reports the log-prob ${value}`,
      { row: 3, episode: 1, agent: "solver", turn: 1, token: 0, value },
    );
  },
);

test("a sampler that reports a log-prob too many is refused", async () => {
  const changed = reporting((logProbs) => [...logProbs, -1]);
  await expect(batchOf(rewards, {}, ["hint", "solver"], changed)).rejects.toFailWith("input_invalid", {
    row: 3,
    episode: 1,
    agent: "solver",
    turn: 1,
  });
});

test("rounding above 0 is a log-prob", async () => {
  const changed = reporting((logProbs) => logProbs.map(() => 1e-5));
  const batch = await batchOf(rewards, {}, ["solver"], changed);
  expect(batch.sampledLogProbs.values).toContain(1e-5);
});

test("a reward whose square overflows is refused with its row, not turned into advantage 0", async () => {
  await expect(batchOf([1, 0, 1e300, 0, 1, 0], {})).rejects.toFailWith("reward_invalid", "reward 2 is 1e+300");
});
