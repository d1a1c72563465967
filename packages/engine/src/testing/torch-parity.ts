import { fileURLToPath } from "node:url";
import type { OptimizerSettings, TrainingSequence, UnknownRecord } from "@laconic/core";
import { askPython, type PythonAnswer } from "@laconic/core/platform";
import type { Kernels } from "../kernels/index.ts";
import { AdamW } from "../optimizer/adamw.ts";
import { Gradients } from "../transformer/gradients.ts";
import { parseModelConfig, type ModelConfig } from "../transformer/model-config.ts";
import { freeModel } from "../transformer/model-on-device.ts";
import { gradientOfPredictions, ofTokens, packBatch } from "../transformer/packed-batch.ts";
import { parameterShapes, scoreName } from "../transformer/parameters.ts";
import { trainBackward, trainForward, passBackward, passForward, type ValuePass } from "../transformer/train-pass.ts";
import { familyConfigs, randomParameters, tinyConfigs } from "./tiny-models.ts";
import { readStored, uploadModel } from "./model-values.ts";

/** Model, sequences, and d loss / d log-prob of each completion token. */
export interface ParityCase {
  readonly name: string;
  readonly config: UnknownRecord;
  readonly parameters: ReadonlyMap<string, Float64Array>;
  readonly sequences: readonly TrainingSequence[];
  readonly dLogProbs: readonly number[];
  /** AdamW steps on the same gradient; betas and epsilon of the first apply. */
  readonly steps: readonly OptimizerSettings[];
}

/** Results of Hugging Face transformers, by autograd in float64. */
export interface TorchAnswer {
  readonly logProbs: readonly number[];
  readonly entropy: readonly number[];
  readonly gradients: Readonly<Record<string, readonly number[]>>;
  /** Norm before clipping. */
  readonly gradNorm: number;
  readonly stepped: Readonly<Record<string, readonly number[]>>;
}

interface ValueAnswer {
  readonly values: readonly number[];
  readonly gradients: Readonly<Record<string, readonly number[]>>;
}

/** Max errors, relative to the largest magnitude of each tensor. */
export interface ParityErrors {
  readonly logProbs: number;
  readonly entropy: number;
  readonly gradients: Readonly<Record<string, number>>;
  readonly gradNorm: number;
  /** Relative to the change, not to the parameters. */
  readonly changes: Readonly<Record<string, number>>;
}

/** Large rates make steps visible; a large epsilon hides the rounding of gradients near 0. */
const step: OptimizerSettings = {
  learningRate: 0.1,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-3,
  weightDecay: 0.1,
  maxGradNorm: 1,
};

/** Tiny models on sequences of several lengths and temperatures, one empty. */
export const parityCases: readonly ParityCase[] = Object.entries({ ...tinyConfigs, ...familyConfigs }).map(
  ([name, config]) => ({
    name,
    config,
    parameters: randomParameters(parseModelConfig(config), name),
    sequences: [
      { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5, 2, 3] },
      { promptTokens: [2], completionTokens: [2], temperature: 0.5 },
      { promptTokens: [5, 1], completionTokens: [] },
      { promptTokens: [0, 5, 4, 3, 2, 1, 0, 0, 1, 3], completionTokens: [1, 5, 5], temperature: 2 },
      // A second reply to the first prompt, a repeated reply, and a later turn; autograd computes each separately.
      { promptTokens: [1, 2, 3], completionTokens: [4, 1] },
      { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5, 2, 3] },
      { promptTokens: [1, 2, 3, 4, 0, 5, 2, 3, 3], completionTokens: [0, 1], temperature: 0.5 },
    ],
    dLogProbs: [0.5, -1.25, 2, 0.75, -0.5, 1.5, -2, 1, 0.25, 0.75, -1, 0.5, 1.25, -0.5, 1, -1.5, 0.25, 2],
    steps: [step, { ...step, learningRate: 0.05, weightDecay: 0.01, maxGradNorm: Infinity }],
  }),
);

/** Runs the cases in PyTorch. */
export function askTorch(cases: readonly ParityCase[]): Promise<PythonAnswer<readonly TorchAnswer[]>> {
  return askPython(script, cases.map(toJson));
}

/** {@link askTorch} for one-label classifiers; `dLogProbs` are d loss / d value. */
export function askTorchValues(cases: readonly ParityCase[]): Promise<PythonAnswer<readonly ValueAnswer[]>> {
  return askPython(
    script,
    cases.map((item) => ({ ...toJson({ ...item, parameters: scalarParameters(item) }), head: "scalar" })),
  );
}

/** Cases without empty sequences, which a classifier cannot value. */
export const valueParityCases: readonly ParityCase[] = parityCases.map((item) => ({
  ...item,
  sequences: item.sequences.filter(({ completionTokens }) => completionTokens.length > 0),
}));

const script = fileURLToPath(new URL("../../src/testing/torch_parity.py", import.meta.url));

/** Errors of a kernel set relative to PyTorch. */
export async function parityErrors(kernels: Kernels, item: ParityCase, torch: TorchAnswer): Promise<ParityErrors> {
  const model = uploadModel(kernels, parseModelConfig(item.config), item.parameters);
  const gradients = new Gradients(kernels);
  const { logProbs, entropy, predictions } = kernels.scope(() => {
    const pass = trainForward(model, packBatch(kernels, item.sequences));
    trainBackward(model, pass, gradientOfPredictions(kernels, pass.batch, item.dLogProbs), gradients);
    return { logProbs: pass.logProbs, entropy: pass.entropy, predictions: pass.batch.predictions };
  });
  const gradientErrors: Record<string, number> = {};
  const shapes = parameterShapes(model.config);
  const own = await readStored(kernels, gradients.byName, shapes);
  for (const name of new Set([...Object.keys(torch.gradients), ...own.keys()]))
    gradientErrors[name] = relativeError(own.get(name) ?? [], torch.gradients[name] ?? []);
  const optimizer = new AdamW(kernels);
  let gradNorm = Number.NaN;
  for (const settings of item.steps) {
    // A step may change gradients.
    const copies = new Map(Array.from(gradients.byName, ([name, gradient]) => [name, kernels.copy(gradient)]));
    ({ gradNorm } = await optimizer.step(model, copies, settings));
    kernels.free(...copies.values());
  }
  const changes: Record<string, number> = {};
  for (const [name, values] of await readStored(kernels, model.parameters, shapes)) {
    const before = item.parameters.get(name) as Float64Array;
    const change = (after: ArrayLike<number>): number[] =>
      Array.from(after, (value, i) => value - (before[i] as number));
    changes[name] = relativeError(change(values), change(torch.stepped[name] ?? []));
  }
  const errors = {
    logProbs: relativeError(ofTokens({ predictions }, await kernels.read(logProbs)), torch.logProbs),
    entropy: relativeError(ofTokens({ predictions }, await kernels.read(entropy)), torch.entropy),
    gradients: gradientErrors,
    gradNorm: relativeError([gradNorm], [torch.gradNorm]),
    changes,
  };
  kernels.free(logProbs, entropy);
  optimizer.free();
  gradients.clear();
  freeModel(model);
  return errors;
}

/** Errors of values and their gradients. */
export async function valueParityErrors(
  kernels: Kernels,
  item: ParityCase,
  torch: ValueAnswer,
): Promise<Pick<ParityErrors, "gradients"> & { readonly values: number }> {
  const config = scalarConfig(item);
  const model = uploadModel(kernels, config, scalarParameters(item));
  const gradients = new Gradients(kernels);
  const { values, predictions } = kernels.scope(() => {
    const pass = passForward(model, packBatch(kernels, item.sequences), "none") as ValuePass;
    passBackward(model, pass, gradientOfPredictions(kernels, pass.batch, item.dLogProbs), gradients);
    return { values: pass.values, predictions: pass.batch.predictions };
  });
  const errors: Record<string, number> = {};
  const own = await readStored(kernels, gradients.byName, parameterShapes(config));
  for (const name of new Set([...Object.keys(torch.gradients), ...own.keys()]))
    errors[name] = relativeError(own.get(name) ?? [], torch.gradients[name] ?? []);
  const match = ofTokens({ predictions }, await kernels.read(values));
  kernels.free(values);
  gradients.clear();
  freeModel(model);
  return { values: relativeError(match, torch.values), gradients: errors };
}

function scalarConfig({ config }: ParityCase): ModelConfig {
  return { ...parseModelConfig(config), scalarHead: true };
}

function scalarParameters(item: ParityCase): ReadonlyMap<string, Float64Array> {
  return randomParameters(scalarConfig(item), item.name);
}

function relativeError(actual: ArrayLike<number>, expected: readonly number[]): number {
  if (actual.length !== expected.length) return Infinity;
  const error = expected.reduce((most, value, i) => Math.max(most, Math.abs(value - (actual[i] as number))), 0);
  return error / Math.max(...expected.map(Math.abs));
}

function toJson({ config, parameters, sequences, dLogProbs, steps }: ParityCase): UnknownRecord {
  const model = parseModelConfig(config);
  const shapes = parameterShapes(parameters.has(scoreName) ? { ...model, scalarHead: true } : model);
  return {
    config,
    parameters: Object.fromEntries(
      [...parameters].map(([name, values]) => [name, { shape: shapes.get(name), values: Array.from(values) }]),
    ),
    sequences: sequences.map((sequence) => ({ temperature: 1, ...sequence })),
    dLogProbs,
    // Infinity becomes null in JSON, which means no clipping.
    steps,
  };
}
