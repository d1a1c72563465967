import { randomFromSeed, type LoraSettings, type TrainingSequence } from "@laconic/core";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import type { Tensor } from "../kernels/index.ts";
import { expect, test } from "vitest";
import { errorAlong } from "../testing/finite-differences.ts";
import { randomParameters, tinyConfigs } from "../testing/tiny-models.ts";
import { Gradients } from "../transformer/gradients.ts";
import { parseModelConfig, type ModelConfig } from "../transformer/model-config.ts";
import { freeModel, adapterOf } from "../transformer/model-on-device.ts";
import { gradientOfPredictions, ofTokens, packBatch } from "../transformer/packed-batch.ts";
import { parameterShapes } from "../transformer/parameters.ts";
import { trainBackward, trainForward, type Recompute } from "../transformer/train-pass.ts";
import { Dropout } from "../transformer/dropout.ts";
import { adaptedProjections, adapterShapes } from "./lora-settings.ts";
import { uploadModel } from "../testing/model-values.ts";

type Values = ReadonlyMap<string, Float64Array>;

const sequences: readonly TrainingSequence[] = [
  { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5] },
  { promptTokens: [2, 1], completionTokens: [] },
  { promptTokens: [0, 5, 4], completionTokens: [1, 5], temperature: 2 },
];
const dLogProbs = Float64Array.of(0.5, -1.25, 2, 0.75, -1.5);

const models = Object.entries(tinyConfigs).map(([name, json]) => {
  const config = parseModelConfig(json);
  return { name, config, base: randomParameters(config, name) };
});

function randomAdapter(config: ModelConfig, lora: LoraSettings): Map<string, Float64Array> {
  const values = new Map<string, Float64Array>();
  for (const [name, [rows, columns]] of adapterShapes(config, lora)) {
    const random = randomFromSeed(name);
    values.set(
      name,
      Float64Array.from({ length: (rows as number) * (columns as number) }, () => 0.4 * random.normal()),
    );
  }
  return values;
}

async function run(
  model: { readonly config: ModelConfig; readonly base: Values },
  lora: LoraSettings,
  adapter: Values,
  recompute: Recompute = "none",
  { own, shared = true }: { readonly own?: readonly TrainingSequence[]; readonly shared?: boolean } = {},
): Promise<{ readonly logProbs: number[]; readonly loss: number; readonly gradients: Map<string, Float64Array> }> {
  const kernels = createReferenceKernels();
  const base = uploadModel(kernels, model.config, model.base);
  const matrices = new Map<string, Tensor>();
  for (const [name, shape] of adapterShapes(model.config, lora))
    matrices.set(name, kernels.upload(adapter.get(name) as Float64Array, shape));
  const adapted = { ...base, adapter: adapterOf(lora, matrices) };
  const passed = own ?? sequences;
  const numbers = shared ? null : passed.map((_, s) => s);
  const weights = own ? Float64Array.from({ length: 20 }, (_, i) => Math.cos(i)) : dLogProbs;
  const sums = new Gradients(kernels);
  const alive = kernels.liveTensors();
  const { tensor, predictions } = kernels.scope(() => {
    const batch = packBatch(kernels, passed, { shared });
    const dropout = lora.dropout ? new Dropout({ rate: lora.dropout, seed: 1, step: 2, batch, numbers }) : undefined;
    const pass = trainForward(adapted, batch, recompute, dropout);
    trainBackward(adapted, pass, gradientOfPredictions(kernels, batch, weights), sums);
    return { tensor: pass.logProbs, predictions: batch.predictions };
  });
  expect(kernels.liveTensors()).toBe(alive + 1 + adapter.size);
  const logProbs = Array.from(ofTokens({ predictions }, await kernels.read(tensor)));
  const gradients = new Map<string, Float64Array>();
  for (const [name, sum] of sums.byName) gradients.set(name, (await kernels.read(sum)) as Float64Array);
  kernels.free(tensor, ...matrices.values());
  sums.clear();
  freeModel(base);
  expect(kernels.liveTensors()).toBe(0);
  return { logProbs, loss: logProbs.reduce((sum, p, i) => sum + p * (weights[i] as number), 0), gradients };
}

test.for(models)("adapter gradients agree with finite differences, frozen weights get none: $name", async (model) => {
  for (const lora of [
    { rank: 2, alpha: 3 },
    { rank: 2, alpha: 3, rankStabilized: true, dropout: 0.3, targets: ["q_proj", "o_proj", "down_proj"] },
  ]) {
    const adapter = randomAdapter(model.config, lora);
    const { gradients } = await run(model, lora, adapter);
    expect([...gradients.keys()].toSorted()).toEqual([...adapter.keys()].toSorted());
    for (const name of [...adapter.keys()].filter((_, i, all) => i % 3 === 0 || i === all.length - 1)) {
      const gradient = gradients.get(name) as Float64Array;
      const random = randomFromSeed(`direction ${name}`);
      const towards = gradient.map(() => random.normal() / Math.sqrt(gradient.length));
      const error = await errorAlong(gradient, adapter.get(name) as Float64Array, towards, async (moved) => {
        return (await run(model, lora, new Map(adapter).set(name, moved))).loss;
      });
      expect(error, name).toBeLessThan(1e-6);
    }
  }
});

/** Replies to one prompt, one of them again, and a turn behind one. */
const family: readonly TrainingSequence[] = [
  { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5] },
  { promptTokens: [1, 2, 3], completionTokens: [4, 1] },
  { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5] },
  { promptTokens: [1, 2, 3, 4, 0, 5, 2], completionTokens: [3] },
];

test.for(models)("shared prefixes give the adapter's gradients of separate sequences: $name", async (model) => {
  const lora = { rank: 2, alpha: 3 };
  const adapter = randomAdapter(model.config, lora);
  const [together, apart] = await Promise.all(
    [true, false].map((shared) => run(model, lora, adapter, "none", { own: family, shared })),
  );
  expect(together?.logProbs).toBeAllclose(apart?.logProbs ?? [], { absolute: 1e-12 });
  for (const [name, gradient] of together?.gradients ?? [])
    expect(gradient, name).toBeAllclose(apart?.gradients.get(name) as Float64Array, { absolute: 1e-12 });
});

test("the mask of a shared row is its prefix's, and of another row its sequence's", async () => {
  const kernels = createReferenceKernels();
  const maskOf = async (trainingSequences: readonly TrainingSequence[], shared: boolean): Promise<number[][]> => {
    const batch = packBatch(kernels, trainingSequences, { shared });
    const numbers = shared ? null : trainingSequences.map((_, s) => s);
    const mask = new Dropout({ rate: 0.5, seed: 1, step: 1, batch, numbers }).mask(kernels, "m", [
      batch.forest.tokens.length,
      50,
    ]);
    const values = Array.from(await kernels.read(mask));
    return Array.from(batch.forest.tokens, (_, n) => values.slice(50 * n, 50 * (n + 1)));
  };
  const together = await maskOf(family, true);
  expect(await maskOf(family.slice(1, 2), true)).toEqual(together.slice(0, 4));
  expect(new Set(together.map((row) => row.join())).size).toBe(together.length);
  const [first, again] = await maskOf([family[0], family[0]] as TrainingSequence[], false).then((rows) => [
    rows.slice(0, 5),
    rows.slice(5),
  ]);
  expect(first).not.toEqual(again);
});

test.for(models)("recomputing each layer draws the same masks and changes no bit: $name", async (model) => {
  const lora = { rank: 2, alpha: 4, dropout: 0.5 };
  const adapter = randomAdapter(model.config, lora);
  expect(await run(model, lora, adapter, "layer")).toEqual(await run(model, lora, adapter));
});

test.for(models)(
  "an adapter is the base with scale * B A added to its weights: $name",
  async ({ name, config, base }) => {
    const lora = { rank: 3, alpha: 2, rankStabilized: true };
    const adapter = randomAdapter(config, lora);
    const merged = new Map(base);
    for (const module of adaptedProjections(config)) {
      const [outputs, inputs] = parameterShapes(config).get(`${module}.weight`) as readonly [number, number];
      const [a, b] = [adapter.get(`${module}.lora_A.weight`), adapter.get(`${module}.lora_B.weight`)];
      const weight = (base.get(`${module}.weight`) as Float64Array).slice();
      for (let o = 0; o < outputs; o++)
        for (let i = 0; i < inputs; i++)
          for (let r = 0; r < 3; r++)
            weight[o * inputs + i] =
              (weight[o * inputs + i] as number) +
              (2 / Math.sqrt(3)) * (b?.[o * 3 + r] as number) * (a?.[r * inputs + i] as number);
      merged.set(`${module}.weight`, weight);
    }
    const zero = new Map([...adapter].map(([key, values]) => [key, values.map(() => 0)]));
    const [adapted, plain] = [
      await run({ config, base }, lora, adapter),
      await run({ config, base: merged }, lora, zero),
    ];
    expect(Math.max(...adapted.logProbs.map((p, i) => Math.abs(p - (plain.logProbs[i] as number)))), name).toBeLessThan(
      1e-12,
    );
  },
);

test("a mask keeps 1 - rate of the inputs, scaled up, and differs between modules, rows and steps", async () => {
  const kernels = createReferenceKernels();
  const batch = packBatch(kernels, [{ promptTokens: [1, 2], completionTokens: [3, 4] }]);
  const make = (step: number, number: number): Dropout =>
    new Dropout({ rate: 0.25, seed: 1, step, batch, numbers: [number] });
  const mask = async (dropout: Dropout, module = "m", rows = 3): Promise<number[]> =>
    Array.from(await kernels.read(dropout.mask(kernels, module, [rows, 4000])));
  const values = await mask(make(1, 0));
  expect(new Set(values)).toEqual(new Set([0, Math.fround(1 / 0.75)]));
  expect(values.filter((value) => value === 0).length / values.length).toBeCloseTo(0.25, 1);
  expect(await mask(make(1, 0))).toEqual(values);
  expect(await mask(make(1, 0), "m", 2)).toEqual(values.slice(4000));
  expect(values.slice(0, 4000)).not.toEqual(values.slice(4000, 8000));
  for (const other of [await mask(make(2, 0)), await mask(make(1, 1)), await mask(make(1, 0), "n")])
    expect(other).not.toEqual(values);
});
