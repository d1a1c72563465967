import type { TrainingSequence } from "@laconic/core";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import type { Kernels } from "../kernels/index.ts";
import { expect, test } from "vitest";
import { wrongGradients } from "../testing/finite-differences.ts";
import { randomParameters, tinyConfigs } from "../testing/tiny-models.ts";
import { Gradients } from "./gradients.ts";
import { parseModelConfig, type ModelConfig } from "./model-config.ts";
import { parameterShapes } from "./parameters.ts";
import { freeModel, type ModelOnDevice } from "./model-on-device.ts";
import { gradientOfPredictions, ofTokens, packBatch } from "./packed-batch.ts";
import { trainBackward, trainForward, type Recompute } from "./train-pass.ts";
import { readStored, uploadModel } from "../testing/model-values.ts";

type Values = Map<string, Float64Array>;

const sequences: readonly TrainingSequence[] = [
  { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5, 2] },
  { promptTokens: [2], completionTokens: [2], temperature: 0.5 },
  { promptTokens: [0, 5, 4, 3], completionTokens: [1, 5, 5], temperature: 2 },
];
/** d loss / d log-prob: every completion token counts, the last ones too. */
const dLogProbs = [0.5, -1.25, 2, 0.75, -1.5, 1.5, -2, 1];

async function logProbsOf(kernels: Kernels, model: ModelOnDevice, batch = sequences): Promise<number[]> {
  const { logProbs, predictions } = kernels.scope(() => {
    const pass = trainForward(model, packBatch(kernels, batch));
    return { logProbs: pass.logProbs, predictions: pass.batch.predictions };
  });
  const values = Array.from(ofTokens({ predictions }, await kernels.read(logProbs)));
  kernels.free(logProbs);
  return values;
}

async function loss(config: ModelConfig, values: Values): Promise<number> {
  const kernels = createReferenceKernels();
  const logProbs = await logProbsOf(kernels, uploadModel(kernels, config, values));
  return logProbs.reduce((sum, logProb, i) => sum + logProb * (dLogProbs[i] as number), 0);
}

async function gradientsOf(
  config: ModelConfig,
  values: Values,
  batches: readonly { readonly sequences: readonly TrainingSequence[]; readonly dLogProbs: readonly number[] }[],
  { recompute = "none", shared = true }: { readonly recompute?: Recompute; readonly shared?: boolean } = {},
): Promise<Values> {
  const kernels = createReferenceKernels();
  const model = uploadModel(kernels, config, values);
  const before = kernels.liveTensors();
  const gradients = new Gradients(kernels);
  for (const batch of batches)
    kernels.scope(() => {
      const pass = trainForward(model, packBatch(kernels, batch.sequences, { shared }), recompute);
      trainBackward(model, pass, gradientOfPredictions(kernels, pass.batch, batch.dLogProbs), gradients);
    });
  expect(kernels.liveTensors()).toBe(before + model.parameters.size);
  for (const [name, tensor] of gradients.byName) expect(tensor.shape).toEqual(model.parameters.get(name)?.shape);
  const result = (await readStored(kernels, gradients.byName, parameterShapes(config))) as Values;
  gradients.clear();
  freeModel(model);
  expect(kernels.liveTensors()).toBe(0);
  return result;
}

const whole = [{ sequences, dLogProbs: dLogProbs }];

function largestDifference(a: Values, b: Values): number {
  expect([...a.keys()].toSorted()).toEqual([...b.keys()].toSorted());
  let largest = 0;
  for (const [name, values] of a)
    values.forEach((value, i) => (largest = Math.max(largest, Math.abs(value - (b.get(name)?.[i] as number)))));
  return largest;
}

const models = Object.entries(tinyConfigs).map(([name, json]) => {
  const config = parseModelConfig(json);
  return { name, config, values: randomParameters(config, name) };
});

test.for(models)("gradients agree with finite differences in every parameter: $name", async ({ config, values }) => {
  const gradients = await gradientsOf(config, values, whole);
  expect([...gradients.keys()].toSorted()).toEqual([...values.keys()].toSorted());
  for (const gradient of gradients.values()) expect(Math.hypot(...gradient)).toBeGreaterThan(1e-3);
  expect(await wrongGradients(gradients, values, (moved) => loss(config, moved))).toEqual([]);
});

test.for(models)("recomputing each layer changes no bit: $name", async ({ config, values }) => {
  const [retained, recomputed] = [
    await gradientsOf(config, values, whole),
    await gradientsOf(config, values, whole, { recompute: "layer" }),
  ];
  expect(recomputed).toEqual(retained);
});

test.for(models)("a sequence's log-probs do not depend on its batch: $name", async ({ config, values }) => {
  const kernels = createReferenceKernels();
  const model = uploadModel(kernels, config, values);
  const together = await logProbsOf(kernels, model);
  const apart = [];
  for (const sequence of sequences) apart.push(...(await logProbsOf(kernels, model, [sequence])));
  const reversed = await logProbsOf(kernels, model, sequences.toReversed());
  expect(apart).toEqual(together);
  expect([...reversed.slice(4), ...reversed.slice(3, 4), ...reversed.slice(0, 3)]).toEqual(together);
});

test.for(models)("gradients of micro-batches add up to those of the batch: $name", async ({ config, values }) => {
  const parts = [
    { sequences: sequences.slice(0, 1), dLogProbs: dLogProbs.slice(0, 4) },
    { sequences: sequences.slice(1), dLogProbs: dLogProbs.slice(4) },
  ];
  const [together, added] = [await gradientsOf(config, values, whole), await gradientsOf(config, values, parts)];
  expect(largestDifference(together, added)).toBeLessThan(1e-12);
});

/** Replies to one prompt, one of them twice and at another temperature; turns; agents that read each other. */
const shared: readonly TrainingSequence[] = [
  { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5] },
  { promptTokens: [1, 2, 3], completionTokens: [4, 1] },
  { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5] },
  { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5], temperature: 0.5 },
  { promptTokens: [1, 2, 3, 4, 0, 5, 2], completionTokens: [3, 3] },
  { promptTokens: [1, 2, 3, 4, 1, 4, 0, 5], completionTokens: [1] },
  { promptTokens: [0], completionTokens: [1] },
  { promptTokens: [1], completionTokens: [2, 3, 4] },
];

test.for(models)("one pass over shared prefixes gives the gradients of separate sequences: $name", async (input) => {
  const { config, values } = input;
  const kernels = createReferenceKernels();
  const model = uploadModel(kernels, config, values);
  const together = await logProbsOf(kernels, model, shared);
  const apart: number[] = [];
  for (const sequence of shared) apart.push(...(await logProbsOf(kernels, model, [sequence])));
  together.forEach((logProb, i) => expect(logProb).toBeCloseTo(apart[i] as number, 12));
  const batch = { sequences: shared, dLogProbs: together.map((_, i) => Math.cos(i)) };
  const gradients = await gradientsOf(config, values, [batch]);
  expect(largestDifference(gradients, await gradientsOf(config, values, [batch], { shared: false }))).toBeLessThan(
    1e-12,
  );
  expect(await gradientsOf(config, values, [batch], { recompute: "layer" })).toEqual(gradients);
});

test("every completion token has a log-prob, the last one too; prompts have none", async () => {
  const kernels = createReferenceKernels();
  const { config, values } = models[0] as (typeof models)[number];
  const model = uploadModel(kernels, config, values);
  const sequence = { promptTokens: [1, 2], completionTokens: [3, 4, 5] };
  const logProbs = await logProbsOf(kernels, model, [sequence]);
  expect(logProbs).toHaveLength(3);
  // The last token's log-prob over all tokens is a distribution.
  let total = 0;
  for (let token = 0; token < config.vocabularySize; token++) {
    const last = await logProbsOf(kernels, model, [{ ...sequence, completionTokens: [3, 4, token] }]);
    expect(last.slice(0, 2)).toEqual(logProbs.slice(0, 2));
    total += Math.exp(last[2] as number);
  }
  expect(total).toBeCloseTo(1, 12);
  // The same tokens split elsewhere are predicted alike.
  expect(await logProbsOf(kernels, model, [{ promptTokens: [1, 2, 3, 4], completionTokens: [5] }])).toEqual(
    logProbs.slice(2),
  );
});

test("entropy is that of the distribution each token was drawn from", async () => {
  const kernels = createReferenceKernels();
  const { config, values } = models[1] as (typeof models)[number];
  const model = uploadModel(kernels, config, values);
  const prompt = { promptTokens: [1, 2], temperature: 0.75 };
  let expected = 0;
  for (let token = 0; token < config.vocabularySize; token++) {
    const [logProb] = await logProbsOf(kernels, model, [{ ...prompt, completionTokens: [token] }]);
    expected -= Math.exp(logProb as number) * (logProb as number);
  }
  const pass = trainForward(model, packBatch(kernels, [{ ...prompt, completionTokens: [0] }]));
  expect((await kernels.read(pass.entropy))[0]).toBeCloseTo(expected, 12);
});
