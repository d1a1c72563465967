import { asEstimator, type RewardBatch } from "@laconic/core";
import { scriptedEpisode } from "@laconic/core/testing";
import { describe, expect, test } from "vitest";
import { estimatorCases } from "../testing/index.ts";
import { bnpo, groupAdvantages, opo, reinforcePlusPlus, remax } from "../index.ts";
import { estimatorNames, estimatorPreset, estimatorShape, type EstimatorName, type EstimatorOptions } from "./index.ts";

const rewards = Float64Array.of(1, 0, 0.5, 1, 0, 1);
const groups = Int32Array.of(0, 0, 0, 1, 1, 1);
const offsets = Int32Array.of(0, 2, 5, 6, 10, 11, 12);
const greedyRewards = Float64Array.of(0.5, 0.5, 0.5, 1, 1, 1);
const problem = { id: "p", question: "?", gold: "1" };
const episode = scriptedEpisode([{ agent: "a", text: "1" }], { problemId: "p" });
const batch: RewardBatch = {
  turnRewards: new Float64Array(rewards.length),
  stepRewards: new Float64Array(rewards.length),
  problems: Array.from(rewards, () => problem),
  episodes: Array.from(rewards, () => episode),
  utterances: Array.from(rewards, () => episode.utterances),
  rewards,
  groups,
  offsets,
  agents: ["a", "b", "a", "b", "a", "b"],
  terms: { task: rewards },
  costs: {},
  prices: {},
  greedyRewards,
};

const options: { readonly [Name in EstimatorName]: EstimatorOptions[Name] } = {
  group: { scale: "group" },
  rloo: {},
  raw: {},
  gpg: {},
  maremax: {},
  remax: {},
  "max-rl": { epsilon: 0.1 },
  opo: {},
  "pass-at-k": { scaled: true },
  bnpo: { a: 2, b: 2 },
  "reinforce++": { baseline: true, discount: 0.9 },
  "running-baseline": { decay: 0.5 },
};

describe.each(estimatorNames)("%s", (name) => {
  for (const item of estimatorCases) test(item.name, () => item.run(() => estimatorPreset(name, options[name])));

  test("returns its settings and rejects an unknown one", () => {
    expect(estimatorPreset(name, options[name]).settings).toEqual(options[name]);
    expect(estimatorShape(name).kind).toBe("group");
    expect(() => estimatorPreset(name, { ...options[name], clip: 1 } as object)).toFailWith("config_invalid", {
      key: `estimator ${name}.clip`,
    });
  });
});

test("a name is nothing but the function of the package", async () => {
  const of = async (name: EstimatorName): Promise<Float64Array> => {
    const estimator = estimatorPreset(name, options[name]);
    return (await estimator.estimate(batch, estimator.init?.())).advantages;
  };
  expect(await of("group")).toEqual(groupAdvantages(rewards, groups, { scale: "group" }).advantages);
  expect(await of("bnpo")).toEqual(bnpo(rewards, groups, { a: 2, b: 2 }).advantages);
  expect(await of("remax")).toEqual(remax(rewards, groups, greedyRewards).advantages);
  expect(await of("opo")).toEqual(opo(rewards, groups, [2, 3, 1, 4, 1, 1]).advantages);
  expect(await of("reinforce++")).toEqual(reinforcePlusPlus(rewards, groups, offsets, options["reinforce++"]));
});

test("a running baseline continues from its state", async () => {
  const estimator = estimatorPreset("running-baseline", { decay: 0.5 });
  const first = await estimator.estimate(batch, estimator.init?.());
  expect(first.state).toEqual({ a: 0.25, b: 0.75 });
  expect((await estimator.estimate(batch, first.state)).advantages[0]).toBe(0.75); // 1 - 0.25
});

test("settings without effect are refused by name", () => {
  expect(() => estimatorPreset("group", { scale: "none", epsilon: 1e-4 })).toFailWith("config_invalid");
  expect(() => estimatorPreset("bnpo", { a: 0, b: 1 })).toThrowError(
    expect.objectContaining({ detail: { key: "estimator bnpo.a" } }),
  );
});

test("a function is an estimator, whether it gives numbers or a promise of them", async () => {
  const doubled = asEstimator(function doubled({ rewards: item }) {
    return item.map((reward) => 2 * reward);
  });
  expect(doubled.name).toBe("doubled");
  expect([...(await doubled.estimate(batch, undefined)).advantages]).toEqual([2, 0, 1, 2, 0, 2]);
  const later = asEstimator(async ({ problems, rewards: item }) =>
    problems.map(({ gold }, i) => Number(gold) + (item[i] ?? 0)),
  );
  expect([...(await later.estimate(batch, undefined)).advantages]).toEqual([2, 1, 1.5, 2, 1, 2]);
  const preset = estimatorPreset("raw", {});
  expect(asEstimator(preset)).toBe(preset);
});
