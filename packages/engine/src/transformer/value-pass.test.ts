import type { TrainingSequence } from "@laconic/core";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import { expect, test } from "vitest";
import { wrongGradients } from "../testing/finite-differences.ts";
import { randomParameters, tinyConfigs } from "../testing/tiny-models.ts";
import { Gradients } from "./gradients.ts";
import { parseModelConfig, type ModelConfig } from "./model-config.ts";
import { gradientOfPredictions, ofTokens, packBatch } from "./packed-batch.ts";
import { parameterShapes, scoreName } from "./parameters.ts";
import { passBackward, passForward, type Recompute, type ValuePass } from "./train-pass.ts";
import { readStored, uploadModel } from "../testing/model-values.ts";

type Values = Map<string, Float64Array>;

/** Two begin alike, and one state is valued twice. */
const sequences: readonly TrainingSequence[] = [
  { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5, 0] },
  { promptTokens: [1, 2, 3, 4], completionTokens: [2, 0] },
  { promptTokens: [2], completionTokens: [0] },
  { promptTokens: [2], completionTokens: [1] },
];
const dValues = [0.5, -1.25, 2, 0.75, -1.5, 1.5, -2, 1];

const models = Object.entries(tinyConfigs).map(([name, json]) => {
  const config: ModelConfig = { ...parseModelConfig(json), scalarHead: true };
  return { name, config, values: randomParameters(config, name) };
});

async function valuesOf(config: ModelConfig, values: Values): Promise<Float64Array> {
  const kernels = createReferenceKernels();
  const model = uploadModel(kernels, config, values);
  const pass = kernels.scope(() => passForward(model, packBatch(kernels, sequences), "layer") as ValuePass);
  return ofTokens(pass.batch, await kernels.read(pass.values));
}

async function loss(config: ModelConfig, values: Values): Promise<number> {
  return (await valuesOf(config, values)).reduce((sum, value, i) => sum + value * (dValues[i] as number), 0);
}

async function gradientsOf(
  config: ModelConfig,
  values: Values,
  { recompute = "none", headAlone = false }: { readonly recompute?: Recompute; readonly headAlone?: boolean } = {},
): Promise<Values> {
  const kernels = createReferenceKernels();
  const whole = uploadModel(kernels, config, values);
  const model = headAlone ? ({ ...whole, trainsHeadAlone: true } as const) : whole;
  const before = kernels.liveTensors();
  const gradients = new Gradients(kernels);
  kernels.scope(() => {
    const pass = passForward(model, packBatch(kernels, sequences), recompute);
    passBackward(model, pass, gradientOfPredictions(kernels, pass.batch, dValues), gradients);
  });
  expect(kernels.liveTensors()).toBe(before + gradients.byName.size);
  return (await readStored(kernels, gradients.byName, parameterShapes(config))) as Values;
}

test.for(models)("gradients agree with finite differences in every parameter: $name", async ({ config, values }) => {
  expect(values.has(scoreName)).toBe(true);
  const gradients = await gradientsOf(config, values);
  expect([...gradients.keys()].toSorted()).toEqual([...values.keys()].toSorted());
  expect(await wrongGradients(gradients, values, (moved) => loss(config, moved))).toEqual([]);
});

test.for(models)("the head alone has its gradient of the whole, and no other: $name", async ({ config, values }) => {
  const whole = await gradientsOf(config, values);
  expect(await gradientsOf(config, values, { recompute: "layer" })).toEqual(whole);
  const alone = await gradientsOf(config, values, { headAlone: true });
  expect([...alone.keys()]).toEqual([scoreName]);
  expect(alone.get(scoreName)).toEqual(whole.get(scoreName));
});

test("a state has one value, whatever is said to follow it", async () => {
  const { config, values } = models[0] as (typeof models)[number];
  const match = await valuesOf(config, values);
  expect(match[6]).toBe(match[7]);
  expect(match[1]).toBe(match[4]);
  expect(new Set(match).size).toBe(6);
});
