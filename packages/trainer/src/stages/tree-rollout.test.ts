import { randomFromSeed, type LanguageModel, type TokenTrace, mapValues } from "@laconic/core";
import { expect, test } from "vitest";
import { parseTrainConfig } from "../settings/parse-train-config.ts";
import type { TrainConfig, TreeSettings } from "../settings/config.ts";
import type { TrainingParts } from "../spec/parts.ts";
import { tinyPairParts, tinySettings } from "../testing/index.ts";
import { pricingOf } from "./learner.ts";
import { costsOf } from "../settings/named.ts";
import type { SampledGroup } from "./group-rollout.ts";
import { sampled } from "../../test/scored-rollouts.ts";
import { treeCredits, type TreeCredits } from "./tree-rollout.ts";

const config = (tree: TreeSettings, episodesPerProblem = 2): TrainConfig =>
  parseTrainConfig({ ...tinySettings, prices: {}, groupBy: "tree-node", tree, episodesPerProblem });

type Grown = SampledGroup & { readonly credits: TreeCredits };

async function grown(tree: TreeSettings, turns: 1 | 2 = 2, count = 3, prices = {}): Promise<Grown> {
  const parts = tinyPairParts(turns);
  const problems = parts.task.testProblems.slice(0, count);
  const settings = config(tree);
  const found = await sampled(parts, settings, problems, randomFromSeed(3));
  const pricing = pricingOf({ config: settings, costs: costsOf(settings) }, prices);
  return { ...found, credits: treeCredits(found.trees ?? [], tree.gamma, pricing) };
}

const tracesOf = ({ rollouts }: Grown): Set<TokenTrace> =>
  new Set(rollouts.flatMap(({ episode }) => episode.utterances.map(({ trace }) => trace as TokenTrace)));

test("aligned: G branches of a node; a reply is one sequence however many paths share it", async () => {
  const tree = await grown({ mode: "aligned", gamma: 0.9, stopAbove: null });
  expect(tree.rollouts).toHaveLength(3 * 4); // G^T leaves a problem
  expect(tree.scores.length).toBe(3 * (2 + 4));
  expect(tracesOf(tree).size).toBe(3 * 2 * (2 + 4)); // two agents, two replies at each of 1 + 2 nodes
  expect(tree.credits.advantages.size).toBe(tracesOf(tree).size);
  for (const { episode } of tree.rollouts) {
    expect(episode.utterances.map(({ agent, round }) => `${agent}/${round}`)).toEqual([
      "first/0",
      "second/0",
      "first/1",
      "second/1",
    ]);
    expect(episode.utterances.map(({ turn }) => turn)).toEqual([0, 1, 2, 3]);
  }
});

test("messages have the order of agents and replies, whichever reply finished first", async () => {
  const tree: TreeSettings = { mode: "aligned", gamma: 0.9, stopAbove: null };
  const placesOf = async (delay: (call: number) => number): Promise<string[]> => {
    const parts = tinyPairParts(2);
    const settings = config(tree);
    let calls = 0;
    const late = (model: LanguageModel): LanguageModel => ({
      ...model,
      complete: async (request) => {
        for (let turns = delay(calls++); turns > 0; turns--) await Promise.resolve();
        return model.complete(request);
      },
    });
    const slow: TrainingParts = {
      ...parts,
      policies: mapValues(parts.policies, (policy) => ({ ...policy, speak: (own) => late(policy.speak(own)) })),
    };
    const { trees } = await sampled(slow, settings, parts.task.testProblems.slice(0, 1), randomFromSeed(3));
    return (trees ?? []).flatMap((each) => [...each.tree.replies.keys()]);
  };
  const inOrder = await placesOf(() => 0);
  expect(inOrder).toHaveLength(2 * (2 + 4));
  expect(await placesOf((call) => 40 * (12 - call))).toEqual(inOrder);
});

test("cross: G to the number of agents", async () => {
  const tree = await grown({ mode: "cross", gamma: 0.9, stopAbove: null });
  expect(tree.rollouts).toHaveLength(3 * 16);
  expect(tree.scores.length).toBe(3 * (4 + 16));
  expect(tracesOf(tree).size).toBe(3 * 2 * (2 + 4 * 2));
});

test("a node whose joint replies are good enough has no branches", async () => {
  const all = await grown({ mode: "aligned", gamma: 0.9, stopAbove: -1 });
  expect(all.rollouts).toHaveLength(3 * 2); // every grade is above -1
  expect(all.scores.length).toBe(3 * 2);
  const none = await grown({ mode: "aligned", gamma: 0.9, stopAbove: 1 });
  expect(none.rollouts).toHaveLength(3 * 4);
});

test.each([0, 0.3])("advantages are those of sums by hand over each tree, at a price of %d a token", async (price) => {
  const tree = await grown({ mode: "aligned", gamma: 0.5, stopAbove: null }, 2, 30, { tokens: price });
  let taught = 0;
  for (let group = 0; group < 30; group++) {
    const rollouts = tree.rollouts.filter((each) => each.group === group);
    const gold = rollouts[0]?.problem.gold ?? "";
    const grade = (path: number, round: number): number => {
      const said = (rollouts[path]?.episode.utterances ?? []).filter((each) => each.round === round);
      const right = said.filter(({ text }, i) => text[0] === gold[i]).length / 2;
      return right - price * said.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0);
    };
    const [l1, l2, l3, l4] = [grade(0, 1), grade(1, 1), grade(2, 1), grade(3, 1)];
    const [r1, r2] = [grade(0, 0) + (0.5 * (l1 + l2)) / 2, grade(2, 0) + (0.5 * (l3 + l4)) / 2];
    const advantage = (path: number, position: number): number | undefined =>
      tree.credits.advantages.get(rollouts[path]?.episode.utterances[position]?.trace as TokenTrace);
    for (const agent of [0, 1]) {
      expect(advantage(0, agent)).toBeCloseTo((r1 - r2) / 2, 12);
      expect(advantage(3, agent)).toBeCloseTo((r2 - r1) / 2, 12);
      expect(advantage(0, 2 + agent)).toBeCloseTo((l1 - l2) / 2, 12);
      expect(advantage(2, 2 + agent)).toBeCloseTo((l3 - l4) / 2, 12);
    }
    if (r1 !== r2) taught++;
  }
  expect(taught).toBeGreaterThan(3); // the sums are not all zero
});
