import type { LoraSettings, TrainingSequence } from "@laconic/core";
import type { CachePlan, Kernels, Tensor } from "../kernels/index.ts";
import { adapterOf } from "../transformer/adapter.ts";
import { adapterShapes } from "../lora/lora-settings.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { sequenceLayout } from "../transformer/packed-batch.ts";
import { parameterShapes } from "../transformer/parameters.ts";
import type { SequenceLengths } from "./sequence-lengths.ts";
import { allocateTogether, heldShapes } from "../transformer/weight-layout.ts";

/** Zero model, to count bytes and time passes. */
export function blankModel(kernels: Kernels, config: ModelConfig, lora: LoraSettings | null): ModelOnDevice {
  const zeros = (shape: readonly number[]): Tensor => kernels.keep(kernels.zeros(shape));
  const tensors = (shapes: ReadonlyMap<string, readonly number[]>): Map<string, Tensor> =>
    allocateTogether(kernels, heldShapes(shapes));
  const table = [config.maxPositions, config.headDim / 2];
  return {
    kernels,
    config,
    parameters: tensors(parameterShapes(config)),
    adapter: lora ? adapterOf(lora, tensors(adapterShapes(config, lora))) : null,
    rotary: { cos: zeros(table), sin: zeros(table) },
  };
}

/** Sequences differ as far as vocabulary and lengths allow. */
export function blankSequences(
  { promptTokens, completionTokens, repliesPerPrompt = 1 }: SequenceLengths,
  count: number,
  vocabulary: number,
): TrainingSequence[] {
  /** Digits of a number in base `vocabulary`, padded with zeros. */
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
  return {
    layout: sequenceLayout(kernels, offsets),
    table,
    tableOnDevice: kernels.upload(table, [rowCount, pagesPerRow]),
    past,
    pastOnDevice: kernels.upload(past, [rowCount]),
  };
}
