import { randomFromSeed, type Sampler } from "@laconic/core";
import { expect, test } from "vitest";
import { scoredRollouts } from "../../test/scored-rollouts.ts";
import { estimatorOf, rateOf } from "../settings/named.ts";
import { parseTrainConfig } from "../settings/parse-train-config.ts";
import { tinyParts, tinySettings } from "../testing/index.ts";
import { objectivePreset } from "@laconic/gspo/presets";
import { needsOldPass, oldLogProbsOf, oldLogProbsOfUpdate } from "./old-log-probs.ts";
import { update } from "./update.ts";
import { trainingBatch, type TrainingBatch } from "./training-batch.ts";

const parts = tinyParts("solo", { spread: 1 });
const config = parseTrainConfig(tinySettings);

async function sampledBatch(): Promise<TrainingBatch> {
  const random = randomFromSeed(2);
  const problems = parts.task.problems(random, config.problemsPerStep);
  const scored = await scoredRollouts(parts, config, problems, random);
  const { weightBy } = config;
  const estimation = {
    weightBy,
    groupBy: "prompt",
    estimator: estimatorOf(config),
    state: undefined,
    prices: {},
  } as const;
  return trainingBatch(scored, 1, new Set(["solver"]), estimation);
}

/** The model's forward pass with an error of 0.25 per token, as with other kernels; counts sequences. */
function shifted(seen: number[]): Sampler {
  return {
    ...parts.model,
    forward: async (sequences) => {
      seen.push(sequences.length);
      const { logProbs, entropy } = await parts.model.forward(sequences);
      return { logProbs: { ...logProbs, values: logProbs.values.map((value) => value - 0.25) }, entropy };
    },
  };
}

test("recomputed: the old policy's forward pass over the whole batch, and its distance from the sampler's", async () => {
  const batch = await sampledBatch();
  const exact = await oldLogProbsOf(config, parts.model, batch);
  expect(exact.logProbs).toEqual(batch.sampledLogProbs);
  expect(exact.gap).toMatchObject({ sum: 0, count: batch.sampledLogProbs.values.length, max: 0 });
  const seen: number[] = [];
  const off = await oldLogProbsOf(config, shifted(seen), batch);
  expect(seen).toEqual([48]);
  expect([off.gap.max, off.gap.min]).toBeAllclose([0.25, 0.25], { absolute: 1e-12 });
  expect(off.logProbs.values).toBeAllclose(batch.sampledLogProbs.values.map((value) => value - 0.25));
});

test("trusted: the sampler's log-probs are used unchanged, checked on a few sequences", async () => {
  const batch = await sampledBatch();
  const seen: number[] = [];
  const { logProbs, gap } = await oldLogProbsOf({ ...config, oldLogProbs: "sampler" }, shifted(seen), batch);
  expect(seen).toEqual([8]);
  expect(logProbs).toBe(batch.sampledLogProbs);
  expect(gap.count).toBe(batch.sampledLogProbs.offsets[8]);
  expect(gap.max).toBeCloseTo(0.25, 12);
});

test("a batch without a sequence has no gap", async () => {
  const batch = {
    ...(await sampledBatch()),
    sequences: [],
    sampledLogProbs: { values: new Float64Array(), offsets: Int32Array.of(0) },
  };
  expect((await oldLogProbsOf(config, parts.model, batch)).gap.count).toBe(0);
});

test.each([
  [{}, false],
  [{ minibatches: 2 }, true],
  [{ epochs: 2 }, true],
  [{ refreshOldPolicyEvery: 2 }, true],
  [{ objective: { name: "gspo", importance: { kind: "truncate", level: "sequence", cap: 2 } } }, true],
  [{ minibatches: 2, oldLogProbs: "sampler" }, false],
])("an old policy takes a separate pass or not: %j", (settings, expected) => {
  expect(needsOldPass(parseTrainConfig({ ...tinySettings, epochs: 1, minibatches: 1, ...settings }))).toBe(expected);
});

test("ratios are exactly 1 without a separate pass, and the update equals the pass's", async () => {
  const batch = await sampledBatch();
  const trainConfig = parseTrainConfig({ ...tinySettings, epochs: 1, minibatches: 1, ratioUnit: "message" });
  const once = async (passed: boolean) => {
    const { model } = tinyParts("solo", { spread: 1 });
    const old = passed ? (await oldLogProbsOf(trainConfig, model, batch)).logProbs : null;
    const facts = {
      model,
      config: trainConfig,
      batch,
      oldLogProbs: old,
      refLogProbs: null,
      step: 0,
      learningRate: rateOf(trainConfig.optimizer.learningRate),
    };
    const objective = objectivePreset("gspo", { clip: { low: 1e-9, high: 1e-9 } });
    const result = await update({ ...facts, objective }, randomFromSeed(1));
    return { result, weights: (await model.forward(batch.sequences)).logProbs };
  };
  const [without, with_] = [await once(false), await once(true)];
  expect(without.weights).toEqual(with_.weights);
  expect(without.result.loss).toBe(with_.result.loss);
  const ratios = without.result.diagnostics["ratio"];
  expect([ratios?.min, ratios?.max]).toEqual([1, 1]);
  const { logProbs, gap } = oldLogProbsOfUpdate(without.result, batch);
  expect(logProbs).toEqual(batch.sampledLogProbs);
  expect(gap).toMatchObject({ sum: 0, count: batch.sampledLogProbs.values.length });
});
