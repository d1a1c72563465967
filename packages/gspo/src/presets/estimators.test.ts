import { asEstimator, type RewardBatch } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { bnpo, groupAdvantages, opo, reinforcePlusPlus, remax } from "../index.ts";
import { estimatorNames, estimatorPreset, estimatorShape, type EstimatorName, type EstimatorOptions } from "./index.ts";

const rewards = Float64Array.of(1, 0, 0.5, 1, 0, 1);
const groups = Int32Array.of(0, 0, 0, 1, 1, 1);
const offsets = Int32Array.of(0, 2, 5, 6, 10, 11, 12);
const greedyRewards = Float64Array.of(0.5, 0.5, 0.5, 1, 1, 1);
const batch: RewardBatch = {
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
  test("one advantage for each row, or for each token", () => {
    const estimator = estimatorPreset(name, options[name]);
    const { advantages } = estimator.estimate(batch, estimator.init?.());
    expect(advantages).toHaveLength(name === "reinforce++" ? 12 : 6);
    expect(advantages.some((value) => value !== 0)).toBe(true);
    expect(advantages.every((value) => Number.isFinite(value))).toBe(true);
  });

  test("says its settings, and refuses one that it does not take", () => {
    expect(estimatorPreset(name, options[name]).settings).toEqual(options[name]);
    expect(estimatorShape(name).kind).toBe("group");
    expect(() => estimatorPreset(name, { ...options[name], clip: 1 } as object)).toThrowError(
      expect.objectContaining({ code: "config_invalid", detail: { key: `estimator ${name}.clip` } }),
    );
  });
});

test("a name is nothing but the function of the package", () => {
  const of = (name: EstimatorName): Float64Array => {
    const estimator = estimatorPreset(name, options[name]);
    return estimator.estimate(batch, estimator.init?.()).advantages;
  };
  expect(of("group")).toEqual(groupAdvantages(rewards, groups, { scale: "group" }).advantages);
  expect(of("bnpo")).toEqual(bnpo(rewards, groups, { a: 2, b: 2 }).advantages);
  expect(of("remax")).toEqual(remax(rewards, groups, greedyRewards).advantages);
  expect(of("opo")).toEqual(opo(rewards, groups, [2, 3, 1, 4, 1, 1]).advantages);
  expect(of("reinforce++")).toEqual(reinforcePlusPlus(rewards, groups, offsets, options["reinforce++"]));
});

test("a running baseline goes on from its state", () => {
  const estimator = estimatorPreset("running-baseline", { decay: 0.5 });
  const first = estimator.estimate(batch, estimator.init?.());
  expect(first.state).toEqual({ a: 0.25, b: 0.75 });
  expect(estimator.estimate(batch, first.state).advantages[0]).toBe(0.75); // 1 - 0.25
});

test("settings without effect are refused by name", () => {
  expect(() => estimatorPreset("group", { scale: "none", epsilon: 1e-4 })).toThrowError(
    expect.objectContaining({ code: "config_invalid" }),
  );
  expect(() => estimatorPreset("bnpo", { a: 0, b: 1 })).toThrowError(
    expect.objectContaining({ detail: { key: "estimator bnpo.a" } }),
  );
});

test("a function is an estimator", () => {
  const doubled = asEstimator(function doubled({ rewards: each }) {
    return each.map((reward) => 2 * reward);
  });
  expect(doubled.name).toBe("doubled");
  expect([...doubled.estimate(batch, undefined).advantages]).toEqual([2, 0, 1, 2, 0, 2]);
  const preset = estimatorPreset("raw", {});
  expect(asEstimator(preset)).toBe(preset);
});
