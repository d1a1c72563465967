import { performance } from "node:perf_hooks";
import { LaconicError } from "@laconic/core";
import {
  elementCount,
  measurePasses,
  parameterShapes,
  rowsOf,
  type LargestBatches,
  type MemoryPlan,
  type MemorySettings,
  type ModelConfig,
  type PassSeconds,
} from "@laconic/engine";
import type { CreateKernels } from "@laconic/engine/kernels";
import type { AssumedSpeed } from "../devices/cards.ts";
import type { ChosenDevice } from "../devices/choose-device.ts";

/** A decode step of 24 layers takes 10.9 ms at 64 rows on an H100 (`gpu-nvidia-h100-80gb-hbm3.json`). */
const launchSecondsPerLayer = 0.0109 / 24;

/** Adding gradients of two workers through the host (`replicas.jsonl`). */
const exchangeSecondsPerParameter = 8e-9;

export interface PlannedTime {
  /** Null without a working device or an assumed speed. */
  readonly seconds: PassSeconds | null;
  readonly deviceMemory: number | null;
  readonly timing: string;
}

export async function timeOf(
  model: ModelConfig,
  { source, name, workers }: ChosenDevice,
  settings: MemorySettings,
  assumed: AssumedSpeed | null,
): Promise<PlannedTime> {
  let kernels;
  try {
    const { createKernels } = (await import(source.module)) as { createKernels: CreateKernels };
    kernels = await createKernels(source.options, { sharing: workers });
  } catch (error) {
    if (!LaconicError.is(error) && assumed !== null) throw error;
    const timing = `${name} does not work here; --card or --tflops gives an estimate`;
    if (assumed === null) return { seconds: null, deviceMemory: null, timing };
  }
  try {
    const deviceMemory = kernels?.memory()?.free ?? null;
    if (assumed !== null)
      return { seconds: assumedSeconds(model, settings, assumed), deviceMemory, timing: assumed.title };
    if (!kernels) throw new TypeError("a device without kernels was measured");
    const seconds = await measurePasses(kernels, model, settings, () => performance.now() / 1000);
    return { seconds, deviceMemory, timing: `measured on ${kernels.backend}, one worker` };
  } finally {
    kernels?.dispose();
  }
}

/**
 * 2 operations per weight and token forward, 4 backward (2 for an adapter), without attention products. Products,
 * memory and launches overlap: the slowest counts.
 */
function assumedSeconds(
  model: ModelConfig,
  settings: MemorySettings,
  { tflops, bandwidth }: AssumedSpeed,
): PassSeconds {
  const parameters =
    elementCount(parameterShapes(model)) - (model.tiedHead ? 0 : model.vocabularySize * model.hiddenSize);
  const product = (2 * parameters) / (tflops * 1e12);
  const launches = model.layers * launchSecondsPerLayer;
  const passes = 1 + (settings.lora ? 1 : 2) + (settings.recompute === "layer" ? 1 : 0);
  const tokens = rowsOf(settings, settings.microBatch);
  const bytes = settings.dtype === "bfloat16" ? 2 : 4;
  const past = settings.promptTokens + settings.completionTokens / 2;
  const rowBytes = 2 * model.layers * model.kvHeads * model.headDim * past * bytes;
  const decode = (rows: number): number =>
    Math.max(launches, rows * product, (bytes * parameters + rows * rowBytes) / bandwidth);
  return {
    training: passes * Math.max(launches, tokens * product),
    forward: Math.max(launches, tokens * product),
    decodeStep: decode(settings.rollouts),
    decodeRow: decode(Math.min(1, settings.rollouts)),
  };
}

/** Calls of one model in each wave of an episode, on one worker. */
export interface PlannedCalls {
  readonly settings: MemorySettings;
  readonly seconds: PassSeconds;
  readonly rows: readonly number[];
}

/** Waves wait for each other. Replies that exceed the memory are sampled later. */
export function samplingSeconds({ settings, seconds, rows }: PlannedCalls, largest: LargestBatches | null): number {
  const { rollouts, microBatch, completionTokens } = settings;
  const passed = rowsOf(settings, microBatch);
  const promptShare = passed === 0 ? 0 : 1 - (microBatch * completionTokens) / passed;
  const most = largest && largest.rollouts > 0 ? largest.rollouts : Infinity;
  const perRow = rollouts > 1 ? (seconds.decodeStep - seconds.decodeRow) / (rollouts - 1) : 0;
  const ofWave = (count: number): number => {
    if (count === 0) return 0;
    const parts = Math.max(1, Math.ceil(count / most));
    const decode = parts * seconds.decodeRow + (count - parts) * perRow;
    return Math.ceil(count / Math.max(1, microBatch)) * seconds.forward * promptShare + completionTokens * decode;
  };
  return rows.reduce((sum, count) => sum + ofWave(count), 0);
}

/** Pageable memory over PCIe 4; an assumption. */
const hostBytesPerSecond = 6e9;

/** Seconds in which the optimizer's state goes to the device and back, `times` per step. */
export function transferSeconds({ host }: Pick<MemoryPlan, "host">, times: number): number {
  return (times * 2 * host) / hostBytesPerSecond;
}

/** Seconds in which workers add the gradients of `parameters` trained weights, `times` per step. */
export function exchangeSeconds(workers: number, parameters: number, times: number): number {
  return workers === 1 ? 0 : times * parameters * exchangeSecondsPerParameter;
}
