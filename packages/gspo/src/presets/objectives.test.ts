import { ragged, type ObjectiveInput } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { gspo } from "../index.ts";
import { objectiveNames, objectivePreset, objectiveWarnings, type ObjectiveName } from "./index.ts";
import { goldenInput } from "../testing/index.ts";
import { refusal } from "../testing/refusal.ts";

const make = (name: ObjectiveName, options = {}): ReturnType<typeof objectivePreset> =>
  objectivePreset(name, { ...(name === "dr-grpo" && { constantLength: 8 }), ...options });

describe.each(objectiveNames)("settings of %s", (name) => {
  test("name the KL, importance weights and off-policy mask, or their absence", () => {
    expect(make(name).settings).toMatchObject({ kl: null, importance: null, offPolicyMask: null });
    const kl = { estimator: "k3+", coefficient: 0.01, biasCorrection: true } as const;
    const all = make(name, { kl, offPolicyMask: 0.5 }).settings;
    expect(all).toMatchObject({ kl: "k3+", klCoefficient: 0.01, klBiasCorrection: true, offPolicyMask: 0.5 });
  });
});

describe("the cap on a negative advantage's loss", () => {
  /** w = e^1, A < 0: the loss w without a cap. */
  const input: ObjectiveInput = {
    logProbs: ragged([[-1]]),
    oldLogProbs: ragged([[-2]]),
    advantages: Float64Array.of(-1),
  };
  test.each(["grpo", "dapo"] as const)("%s takes dualClip or maxRatio, and not both", (name) => {
    expect(make(name).evaluate(input).loss).toBeCloseTo(Math.E, 12);
    expect(make(name, { dualClip: 2 }).evaluate(input).loss).toBe(2);
    expect(make(name, { maxRatio: 2 }).evaluate(input).loss).toBe(2);
    expect(make(name, { maxRatio: 2 }).settings["ratioCap"]).toBe(2);
    expect(refusal(() => make(name, { dualClip: 2, maxRatio: 2 })).code).toBe("config_invalid");
  });
  test("gspo has none", () => {
    expect(refusal(() => make("gspo", { dualClip: 3 })).message).toContain("dualClip has no effect");
  });
});

describe("warnings about gspo's clip", () => {
  test.each([
    ["the paper's", 3e-4, 4e-4, 1e-6, 0],
    ["a percent at a small step", 0.01, 0.01, 1e-6, 0],
    ["wider than a percent at a small step", 0.03, 0.04, 1e-5, 1],
    ["wider than a percent at a step that needs it", 0.03, 0.04, 5e-5, 0],
    ["the relay preset's", 0.03, 0.04, 3e-4, 0],
    ["GRPO's, at any step", 0.2, 0.2, 3e-4, 1],
    ["GRPO's, at a small step", 0.2, 0.2, 1e-6, 2],
  ])("%s", (_, low, high, learningRate, count) => {
    for (const name of ["gspo", "gspo-token"] as const)
      expect(objectiveWarnings(name, { clip: { low, high } }, learningRate)).toHaveLength(count);
  });
});

describe("clips by length", () => {
  test("sequence objectives report the share of each bucket that has sequences", () => {
    // Lengths 3, 2, 4 and 1; the first two are clipped.
    const { diagnostics } = gspo().evaluate(goldenInput);
    expect(diagnostics["clip_ratio/region/len_1"]).toEqual({ sum: 0, count: 1, min: 0, max: 0 });
    expect(diagnostics["clip_ratio/region/len_2_4"]).toEqual({ sum: 2, count: 3, min: 0, max: 1 });
    expect(diagnostics).not.toHaveProperty("clip_ratio/region/len_5_16");
  });
  test("buckets have bounds, and an empty sequence has no bucket", () => {
    const lengths = [0, 5, 16, 0, 17, 64, 65, 256, 257];
    const logProbs = ragged(lengths.map((length) => Array.from({ length }, () => -1)));
    // All move up by 1e-2, so that a positive advantage is clipped; the two longest stay.
    const oldLogProbs = ragged(lengths.map((length) => Array.from({ length }, () => (length < 256 ? -1.01 : -1))));
    const { diagnostics } = gspo().evaluate({ logProbs, oldLogProbs, advantages: new Float64Array(9).fill(1) });
    const buckets = Object.entries(diagnostics).filter(([name]) => name.startsWith("clip_ratio/region/"));
    expect(buckets.map(([name, { sum, count }]) => [name.slice(18), sum, count])).toEqual([
      ["len_5_16", 2, 2],
      ["len_17_64", 2, 2],
      ["len_65_256", 1, 2],
      ["len_257_up", 0, 1],
    ]);
  });
  test("token objectives have none", () => {
    const names = Object.keys(make("grpo").evaluate(goldenInput).diagnostics);
    expect(names.filter((name) => name.includes("/len_"))).toEqual([]);
  });
});
