import type { Episode, Reward } from "@laconic/core";
import { scriptedEpisode } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { trainTiny, type Trained } from "../test/train-tiny.ts";
import { rewardOf, scorer } from "./scorer.ts";
import { tinyPairParts, tinyParts } from "./testing/index.ts";

const problem = { id: "problem", question: "?", gold: "x" };
const episode: Episode = scriptedEpisode([{ agent: "a", text: "x" }]);

test("a reward that answers, throws, hangs or returns nonsense never rejects and is not late", async () => {
  const outcome = (reward: Reward) => scorer(reward, { seconds: 0.05 })(episode, problem);
  expect(await outcome(async () => ({ task: 0.5, style: 2 }))).toMatchObject({
    status: "scored",
    value: 0.5,
    reward: { team: { task: 0.5, style: 2 } },
  });
  expect(await outcome(() => Promise.reject(new Error("out")))).toMatchObject({ status: "error", reason: "out" });
  expect(await outcome(() => new Promise(() => undefined))).toMatchObject({ status: "error" });
  expect(await outcome(() => ({ task: Number.NaN }))).toMatchObject({ status: "invalid" });
  expect(await outcome(() => ({ undecided: "no memory" }))).toMatchObject({ status: "undecided" });
});

test("an episode with an agent error is not judged", async () => {
  const score = scorer(() => ({ task: 1 }), { seconds: 1 });
  expect(await score({ ...episode, stopReason: "error" }, problem)).toBe(null);
});

test("rejects a task without a reward or grader", () => {
  const reward: Reward = () => ({ task: 1 });
  expect(rewardOf({ name: "t", reward, grader: () => 0 })).toBe(reward);
  expect(() => rewardOf({ name: "t" })).toFailWith("input_invalid", { task: "t" });
});

const settings = { steps: 2, problemsPerStep: 2, episodesPerProblem: 2, prices: {} };

test.each([
  ["whole episodes", {}, tinyParts],
  ["difference rewards", { credit: { kind: "difference" }, groupBy: "prompt+agent" }, () => tinyParts("star")],
  [
    "trees",
    { tree: { mode: "cross", gamma: 0.9, stopAbove: null }, groupBy: "tree-node", objective: { name: "magrpo" } },
    () => tinyPairParts(2),
  ],
])("a reward that takes its time gives the same run as a grader: %s", async (_, extra, partsOf) => {
  const rowsOf = async (isSlow: boolean): Promise<Trained["rows"]> => {
    const parts = partsOf();
    const atOnce = rewardOf(parts.task);
    const reward: Reward = async (...asked) => atOnce(...asked);
    const judged = { ...parts, task: { ...parts.task, reward } };
    return (await trainTiny(isSlow ? judged : parts, { ...settings, ...extra })).rows;
  };
  expect(await rowsOf(true)).toEqual(await rowsOf(false));
});
