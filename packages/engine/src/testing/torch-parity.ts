import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TrainingSequence } from "@laconic/core";
import type { Kernels } from "../kernels/index.ts";
import { Gradients } from "../transformer/gradients.ts";
import { parseModelConfig } from "../transformer/model-config.ts";
import { freeModel, uploadModel } from "../transformer/model-on-device.ts";
import { packBatch } from "../transformer/packed-batch.ts";
import { parameterShapes } from "../transformer/parameters.ts";
import { trainBackward, trainForward } from "../transformer/train-pass.ts";
import { randomParameters, tinyConfigs } from "./tiny-models.ts";

/** A model, sequences, and d loss / d log-prob of each completion token. */
export interface ParityCase {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly parameters: ReadonlyMap<string, Float64Array>;
  readonly sequences: readonly TrainingSequence[];
  readonly dLogProbs: readonly number[];
}

/** What the same model gives in Hugging Face transformers, by autograd in float64. */
export interface TorchAnswer {
  readonly logProbs: readonly number[];
  readonly entropy: readonly number[];
  readonly gradients: Readonly<Record<string, readonly number[]>>;
}

/** Largest errors, each relative to the largest magnitude of its tensor. */
export interface ParityErrors {
  readonly logProbs: number;
  readonly entropy: number;
  readonly gradients: Readonly<Record<string, number>>;
}

/** Each tiny model on sequences of several lengths and temperatures, one of them empty. */
export const parityCases: readonly ParityCase[] = Object.entries(tinyConfigs).map(([name, config]) => ({
  name,
  config,
  parameters: randomParameters(parseModelConfig(config), name),
  sequences: [
    { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5, 2, 3] },
    { promptTokens: [2], completionTokens: [2], temperature: 0.5 },
    { promptTokens: [5, 1], completionTokens: [] },
    { promptTokens: [0, 5, 4, 3, 2, 1, 0, 0, 1, 3], completionTokens: [1, 5, 5], temperature: 2 },
  ],
  dLogProbs: [0.5, -1.25, 2, 0.75, -0.5, 1.5, -2, 1, 0.25],
}));

/**
 * Runs the cases in Python.
 *
 * @param python - interpreter with torch and transformers
 * @returns the answers, or why there are none
 */
export async function askTorch(
  python: string,
  cases: readonly ParityCase[],
): Promise<{ readonly answers: readonly TorchAnswer[] } | { readonly unavailable: string }> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-parity-"));
  try {
    const [question, answer] = [join(folder, "cases.json"), join(folder, "answers.json")];
    await writeFile(question, JSON.stringify(cases.map(toJson)));
    const script = fileURLToPath(new URL("../../assets/torch_parity.py", import.meta.url));
    const outcome = await promisify(execFile)(python, [script, question, answer]).then(
      () => null,
      (error: Error & { readonly code?: string | number; readonly stderr?: string }) => error,
    );
    if (outcome?.code === "ENOENT") return { unavailable: `no Python at ${python}; set LACONIC_PYTHON` };
    if (outcome?.code === 3) return { unavailable: (outcome.stderr ?? "").trim() };
    if (outcome) throw new Error(`torch_parity.py failed: ${outcome.stderr ?? outcome.message}`);
    return { answers: JSON.parse(await readFile(answer, "utf8")) as TorchAnswer[] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs one case on a kernel set and says how far it is from PyTorch. */
export async function parityErrors(kernels: Kernels, item: ParityCase, torch: TorchAnswer): Promise<ParityErrors> {
  const model = uploadModel(kernels, parseModelConfig(item.config), item.parameters);
  const gradients = new Gradients(kernels);
  const { logProbs, entropy } = kernels.scope(() => {
    const pass = trainForward(model, packBatch(kernels, item.sequences));
    trainBackward(model, pass, kernels.upload(Float64Array.from(item.dLogProbs), [item.dLogProbs.length]), gradients);
    return { logProbs: pass.logProbs, entropy: pass.entropy };
  });
  const byName: Record<string, number> = {};
  for (const name of new Set([...Object.keys(torch.gradients), ...gradients.byName.keys()])) {
    const own = gradients.byName.get(name);
    byName[name] = own ? relativeError(await kernels.read(own), torch.gradients[name] ?? []) : Infinity;
  }
  const errors = {
    logProbs: relativeError(await kernels.read(logProbs), torch.logProbs),
    entropy: relativeError(await kernels.read(entropy), torch.entropy),
    gradients: byName,
  };
  kernels.free(logProbs, entropy);
  gradients.clear();
  freeModel(model);
  return errors;
}

function relativeError(actual: ArrayLike<number>, expected: readonly number[]): number {
  if (actual.length !== expected.length) return Infinity;
  const error = expected.reduce((most, value, i) => Math.max(most, Math.abs(value - (actual[i] as number))), 0);
  return error / Math.max(...expected.map(Math.abs));
}

function toJson({ config, parameters, sequences, dLogProbs }: ParityCase): unknown {
  const shapes = parameterShapes(parseModelConfig(config));
  return {
    config,
    parameters: Object.fromEntries(
      [...parameters].map(([name, values]) => [name, { shape: shapes.get(name), values: Array.from(values) }]),
    ),
    sequences: sequences.map((sequence) => ({ temperature: 1, ...sequence })),
    dLogProbs,
  };
}
