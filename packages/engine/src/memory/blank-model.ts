import type { LoraSettings, TrainingSequence } from "@laconic/core";
import type { CachePlan, Kernels, Tensor } from "../kernels/index.ts";
import { adapterOf, type ModelOnDevice } from "../transformer/model-on-device.ts";
import { adapterShapes } from "../lora/lora-settings.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import { cachePlan } from "../transformer/forward-cached.ts";
import { parameterShapes } from "../transformer/parameters.ts";
import { allocateTogether, heldShapes } from "../transformer/weight-layout.ts";

/** Zero model, to count bytes and time passes. */
export function blankModel(kernels: Kernels, config: ModelConfig, lora: LoraSettings | null): ModelOnDevice {
  const zeros = (shape: readonly number[]): Tensor => kernels.keep(kernels.zeros(shape));
  const tensors = (shapes: ReadonlyMap<string, readonly number[]>): Map<string, Tensor> =>
    allocateTogether(kernels, heldShapes(shapes));
  const tables = config.rotations.map(({ frequencies }) => [config.maxPositions, frequencies.length]);
  return {
    kernels,
    config,
    parameters: tensors(parameterShapes(config)),
    adapter: lora ? adapterOf(lora, tensors(adapterShapes(config, lora))) : null,
    rotary: tables.map((table) => ({ cos: zeros(table), sin: zeros(table) })),
    ...(config.family.normOffset && { ones: [zeros([config.hiddenSize]), zeros([config.headDim])] }),
  };
}

export function blankSequences(
  { promptTokens, completionTokens, repliesPerPrompt = 1 }: SequenceLengths,
  count: number,
  vocabulary: number,
): TrainingSequence[] {
  const named = (number: number, length: number): number[] => {
    const tokens = new Array<number>(length).fill(0);
    for (let i = 0, rest = number; i < length && rest > 0; i++, rest = Math.floor(rest / vocabulary))
      tokens[i] = rest % vocabulary;
    return tokens;
  };
  return Array.from({ length: count }, (_, s) => ({
    promptTokens: named(Math.floor(s / repliesPerPrompt), promptTokens),
    completionTokens: named(s % repliesPerPrompt, completionTokens),
  }));
}

/** `pastTokens` cached and `tokens` new positions per sequence, in separate pages. */
export function blankPlan(
  kernels: Kernels,
  rowCount: number,
  tokens: number,
  pastTokens: number,
  pagesPerRow = 1,
): CachePlan {
  const table = Int32Array.from({ length: rowCount * pagesPerRow }, (_, i) => Math.floor(i / pagesPerRow));
  const past = new Int32Array(rowCount).fill(pastTokens);
  const offsets = Int32Array.from({ length: rowCount + 1 }, (_, row) => row * tokens);
  return cachePlan(kernels, { table, width: pagesPerRow }, past, offsets);
}

/** Only prompts are shared. */
export interface SequenceLengths {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Sequences per prompt. Default 1. */
  readonly repliesPerPrompt?: number;
}

/** Counts each prompt once. */
export function rowsOf(
  { promptTokens, completionTokens, repliesPerPrompt = 1 }: SequenceLengths,
  sequences: number,
): number {
  return Math.ceil(sequences / repliesPerPrompt) * promptTokens + sequences * completionTokens;
}

/** Max sequences with at most `rows` rows. */
export function sequencesWithin(lengths: SequenceLengths, rows: number): number {
  const { promptTokens, completionTokens, repliesPerPrompt = 1 } = lengths;
  const groups = Math.floor(rows / rowsOf(lengths, repliesPerPrompt));
  const rest = rows - groups * rowsOf(lengths, repliesPerPrompt) - promptTokens;
  return groups * repliesPerPrompt + Math.max(0, Math.floor(rest / completionTokens));
}
