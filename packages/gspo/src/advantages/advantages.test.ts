import { statisticMean } from "@laconic/core";
import { describe, expect, test } from "vitest";
import {
  bnpo,
  gpg,
  groupAdvantages,
  maxRl,
  opo,
  rawRewards,
  reinforcePlusPlus,
  remax,
  rloo,
  runningBaseline,
} from "../index.ts";
import { refusal } from "../testing/refusal.ts";

const offsets = Int32Array.of(0, 2, 3, 5);
const groups = [0, 0, 0];

describe("REINFORCE++", () => {
  test("returns are whitened over tokens: sample variance, 1e-8 under the root", () => {
    // Token returns 1, 1, 0, 0, 0: mean 0.4, sample variance 0.3.
    const root = Math.sqrt(0.3 + 1e-8);
    expect(reinforcePlusPlus([1, 0, 0], groups, offsets)).toBeAllclose(
      [0.6, 0.6, -0.4, -0.4, -0.4].map((v) => v / root),
      { relative: 1e-12 },
    );
  });
  test("a discount shrinks returns away from the end", () => {
    const [early, late] = reinforcePlusPlus([1, 0, 0], groups, offsets, { discount: 0.5 });
    // Returns 0.5, 1, 0, 0, 0: mean 0.3, sample variance 0.2.
    expect([early, late]).toBeAllclose([0.2 / Math.sqrt(0.2 + 1e-8), 0.7 / Math.sqrt(0.2 + 1e-8)], { relative: 1e-12 });
  });
  test.each([false, true])("a NaN reward leaves mean and variance and gets exactly 0; baseline %s", (baseline) => {
    const all = reinforcePlusPlus([1, NaN, 0], groups, offsets, { baseline });
    const without = reinforcePlusPlus([1, 0], [0, 0], Int32Array.of(0, 2, 4), { baseline });
    expect(all[2]).toBe(0);
    expect([all[0], all[1], all[3], all[4]]).toEqual([...without]);
    expect(without[0]).toBeGreaterThan(0.8);
  });
  test.each([false, true])("equal rewards give exactly 0; baseline %s", (baseline) => {
    const third = 1 / 3;
    expect([...reinforcePlusPlus([third, 1 - 2 / 3, third], groups, offsets, { baseline })]).toEqual([0, 0, 0, 0, 0]);
  });
  test("an infinite reward and a layout that does not fit are refused", () => {
    const { code, message } = refusal(() => reinforcePlusPlus([1, Infinity, 0], groups, offsets));
    expect([code, message]).toEqual(["reward_invalid", expect.stringContaining("reward 1")]);
    expect(refusal(() => reinforcePlusPlus([1, 0], groups, offsets)).code).toBe("input_invalid");
  });
});

describe("running baseline", () => {
  test("NaN gets 0 and moves nothing; infinity is refused", () => {
    const { advantages, state } = runningBaseline({ a: 0.5 }, [NaN, 1], ["a", "a"]);
    expect([...advantages]).toEqual([0, 0.5]);
    expect(state["a"]).toBeCloseTo(0.95 * 0.5 + 0.05, 12);
    const { code, message } = refusal(() => runningBaseline({}, [1, -Infinity], ["a", "a"]));
    expect([code, message]).toEqual(["reward_invalid", expect.stringContaining("reward 1")]);
  });
  test("an agent per reward, and a decay below 1", () => {
    expect(refusal(() => runningBaseline({}, [1, 1], ["a"])).code).toBe("input_invalid");
    expect(refusal(() => runningBaseline({}, [1], ["a"], 1)).code).toBe("config_invalid");
  });
});

describe("ReMax", () => {
  test("r minus the greedy reward; a NaN reward needs none", () => {
    expect([...remax([1, NaN, 0], groups, [0.5, NaN, 0.25]).advantages]).toEqual([0.5, 0, -0.25]);
  });
  test.each([NaN, Infinity])("a greedy reward of %s names its row", (greedy) => {
    const { code, message } = refusal(() => remax([1, 0, 0], groups, [0, greedy, 0]));
    expect([code, message]).toEqual(["reward_invalid", expect.stringContaining("greedy reward 1")]);
  });
});

test.each([[[1, 2]], [[1, 2, NaN]], [[1, 2, -1]]])("OPO refuses lengths %j", (lengths) => {
  expect(refusal(() => opo([1, 0, 0], groups, lengths)).code).toBe("input_invalid");
});

describe("BNPO", () => {
  test("(3/2, 3/2) divides by (8/π) times the population deviation of 0/1 rewards", () => {
    const p = 1 / 3;
    const density = (8 / Math.PI) * Math.sqrt(p * (1 - p));
    expect(bnpo([1, 0, 0], groups, { a: 1.5, b: 1.5 }).advantages).toBeAllclose(
      [(1 - p) / density, -p / density, -p / density],
      { relative: 1e-12 },
    );
  });
  test.each([[[2, 3, 1]], [[-1, 1, 0]], [[-1, 0, 0]]])("the mean of %j is no success rate", (rewards) => {
    expect(refusal(() => bnpo(rewards, groups, { a: 1, b: 1 })).code).toBe("reward_invalid");
  });
});

test("GPG scales r - mean by N over the rewards that are not 0", () => {
  const { advantages } = gpg([1, 0, 0, 0, NaN], [0, 0, 1, 1, 1]);
  expect([...advantages]).toEqual([2, -2, 0, 0, 0]); // 4 / 1 times +-0.5
  expect([...gpg([0, 0], [0, 0]).advantages]).toEqual([0, 0]);
});

describe("groups by outcome", () => {
  test("rewards 0/1 give advantages for all good, all bad and mixed groups", () => {
    const { diagnostics } = rloo([1, 1, 0, 0, 1, 0, 1, NaN], [0, 0, 1, 1, 2, 2, 3, 4]);
    const frac = (name: string): number => statisticMean(diagnostics[`by_group/frac_${name}`] as never);
    expect([frac("all_good"), frac("all_bad"), frac("mixed")]).toEqual([0.5, 0.25, 0.25]);
  });
  test("graded rewards have none", () => {
    expect(rawRewards([1, 0.5], [0, 0]).diagnostics).not.toHaveProperty("by_group/frac_mixed");
  });
});

describe("weights count an episode once, however many rows it has", () => {
  // Two won in a row each; two lost in three.
  const rewards = [1, 1, 0, 0, 0, 0, 0, 0];
  const one = new Array<number>(8).fill(0);
  const weights = [1, 1, ...new Array<number>(6).fill(1 / 3)];
  const alone = [1, 1, 0, 0] as const;
  const four = [0, 0, 0, 0] as const;
  const spread = (of: ArrayLike<number>): number[] => [0, 0, 2, 2, 2, 2, 2, 2].map((index) => of[index] ?? Number.NaN);

  test.each([
    [
      "group",
      (r: readonly number[], g: readonly number[], w?: number[]) => groupAdvantages(r, g, { scale: "group" }, w),
    ],
    [
      "batch",
      (r: readonly number[], g: readonly number[], w?: number[]) => groupAdvantages(r, g, { scale: "batch" }, w),
    ],
    ["rloo", rloo],
    ["gpg", gpg],
    ["max-rl", (r: readonly number[], g: readonly number[], w?: number[]) => maxRl(r, g, 0.1, w)],
    ["bnpo", (r: readonly number[], g: readonly number[], w?: number[]) => bnpo(r, g, { a: 2, b: 2 }, w)],
  ] as const)("%s", (_, estimate) => {
    expect([...estimate(rewards, one, weights).advantages]).toBeAllclose(spread(estimate(alone, four).advantages));
  });

  test("a running baseline moves once by all of an episode's rewards", () => {
    const agents = new Array<string>(3).fill("a");
    const { state } = runningBaseline({}, [1, 1, 1], agents, 0.9, [1 / 3, 1 / 3, 1 / 3]);
    expect(state["a"]).toBeCloseTo(runningBaseline({}, [1], ["a"], 0.9).state["a"] as number, 12);
  });
});
