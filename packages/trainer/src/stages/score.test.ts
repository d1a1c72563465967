import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { parseTrainConfig } from "../settings/parse-train-config.ts";
import { tinyParts } from "../testing/index.ts";
import type { CreditPlan } from "../settings/credit.ts";
import { measurementOf, type ScoredRollout, score } from "./score.ts";
import { scoredRollouts } from "../../test/scored-rollouts.ts";
import { scriptedEpisode } from "@laconic/core/testing";
import { readReward } from "@laconic/rewards";

async function batch(): Promise<ScoredRollout[]> {
  const config = parseTrainConfig({ problemsPerStep: 4, episodesPerProblem: 4 });
  const parts = tinyParts("star");
  const random = randomFromSeed(5);
  const problems = parts.task.problems(random, 4);
  return scoredRollouts(parts, config, problems, random);
}

test("tokens, grades, silent turns and cut episodes are means over the batch", async () => {
  const scored = await batch();
  const turns = scored.flatMap(({ episode }) => episode.utterances);
  const cut = scored.filter(({ episode }) => episode.utterances.some(({ finishReason }) => finishReason === "length"));
  expect(cut.length).toBeGreaterThan(0);
  const { tokens, taskReward, silenceRate, truncatedShare } = measurementOf(scored);
  expect(tokens).toBeCloseTo(turns.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0) / 16, 12);
  expect(taskReward).toBeCloseTo(scored.filter(({ measured }) => measured.task === 1).length / 16, 12);
  expect(silenceRate).toBeCloseTo(turns.filter(({ text }) => text === "").length / 32, 12);
  expect(truncatedShare).toBeCloseTo(cut.length / 16, 12);
});

test("excludes missing grades from the mean; without grades it is 0", async () => {
  const scored = await batch();
  const graded = (tasks: (i: number) => number): ScoredRollout[] =>
    scored.map((scoredRollout, i) => ({ ...scoredRollout, measured: { ...scoredRollout.measured, task: tasks(i) } }));
  expect(measurementOf(graded((i) => (i < 4 ? 1 : i < 8 ? 0 : NaN))).taskReward).toBe(0.5);
  expect(measurementOf(graded(() => NaN)).taskReward).toBe(0);
});

const problem = { id: "1", question: "?", gold: "x" };
const episode = scriptedEpisode([
  { agent: "a", text: "x" },
  { agent: "b", text: "y" },
  { agent: "a", text: "x" },
  { agent: "b", text: "z" },
]);
const rollout = { problem, episode, group: 0, score: readReward({ task: 0.75 }) };

test("a credit reads the rewards of replays", () => {
  const change = { silent: ["a"] };
  const plan: CreditPlan = {
    changes: [change],
    credits: (reward, [replay]) => new Map([[1, reward - replay!.reward]]),
  };
  const replays = [{ change, episode, score: readReward({ task: 0.25 }) }];
  const [shared, scored] = score([rollout, { ...rollout, plan, replays }], { costs: {}, prices: {} });
  expect([shared?.credit, scored?.credit]).toEqual([null, new Map([[1, 0.5]])]);
});
