import type { LoraSettings, TrainingSequence } from "@laconic/core";
import { roundsWeights, sizeOf, type Kernels, type KeyValueCache } from "../kernels/index.ts";
import { adapterShapes } from "../lora/lora-settings.ts";
import { forwardCached } from "../transformer/forward-cached.ts";
import { Gradients } from "../transformer/gradients.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { packBatch } from "../transformer/packed-batch.ts";
import { elementCount, embeddingName, headName, parameterShapes } from "../transformer/parameters.ts";
import { heldShapes } from "../transformer/weight-layout.ts";
import type { OptimizerPlace } from "../optimizer/adamw.ts";
import { passBackward, passForward, type Recompute } from "../transformer/train-pass.ts";
import { blankModel, blankPlan, blankSequences, rowsOf, sequencesWithin, type SequenceLengths } from "./blank-model.ts";
import { elementBytes, defaultHeadBytes, libtorchScratch } from "./scratch-bytes.ts";
import { MeasuredKernels } from "./measured-kernels.ts";

/** Settings of a memory plan. */
export interface MemorySettings extends SequenceLengths {
  readonly dtype: Kernels["dtype"];
  /** Null trains all weights. */
  readonly lora: LoraSettings | null;
  readonly recompute: Recompute;
  /** Default `device`. */
  readonly optimizer?: OptimizerPlace;
  /** Frozen copies, for old and reference policies. */
  readonly snapshots: number;
  /** Sequences per micro-batch. */
  readonly microBatch: number;
  /** Replies sampled at once. */
  readonly rollouts: number;
  /** Default: no pages. */
  readonly cachePageSize?: number;
  /** Default 64 MiB. */
  readonly headBytes?: number;
  /** Min and max elements of matrices that sampling keeps twice. Default: none. */
  readonly packedWeights?: readonly [least: number, most: number];
}

/** Both phases hold weights, snapshots, master weights and moments. */
export interface MemoryPlan {
  readonly weights: number;
  readonly snapshots: number;
  /** Exact copies of bfloat16 weights. */
  readonly masterWeights: number;
  readonly optimizerMoments: number;
  /** Training only. */
  readonly gradients: number;
  /** Training only: saved activations, their gradients and scratch memory. */
  readonly activations: number;
  /** Training only: bytes of head tiles. */
  readonly headWorkspace: number;
  /** Product workspace, fragmentation, second copies of weights in sampling. */
  readonly trainingOverhead: number;
  readonly samplingOverhead: number;
  /** Sampling only. */
  readonly keyValueCache: number;
  /** Sampling only: activations and logits. */
  readonly samplingWorkspace: number;
  readonly training: number;
  readonly sampling: number;
  /** Max of both phases, which alternate. */
  readonly peak: number;
  /** Optimizer state in the host's memory. */
  readonly host: number;
}

/** Fitted to `peak-memory.nightly.test.ts` with libtorch 2.13 on the CPU (glibc 2.36), not on GPUs. */
const [productWorkspace, overheadShare] = [12 * 2 ** 20, 0.1] as const;

function rotaryNumbers({ maxPositions, rotations }: ModelConfig, tokens: number): number {
  const width = rotations.reduce((sum, { frequencies }) => sum + 2 * frequencies.length, 0);
  return 3 * (maxPositions + tokens) * width;
}

const prefillTokens = 16_384;

/** Runs the real passes without data. Assumes attention without a score matrix. */
export function planMemory(config: ModelConfig, settings: MemorySettings): MemoryPlan {
  const { dtype, lora, snapshots } = settings;
  const { working, full } = elementBytes[dtype];
  const shapes = lora ? adapterShapes(config, lora) : parameterShapes(config);
  const trained = elementCount(shapes);
  const isOnHost = settings.optimizer === "host";
  const master = roundsWeights(dtype) ? trained * full : 0;
  const { activations, headWorkspace, weights } = trainingActivations(config, settings);
  const { keyValueCache, samplingWorkspace } = samplingMemory(config, settings);
  const parts = {
    weights,
    snapshots: snapshots * trained * working,
    masterWeights: isOnHost ? 0 : master,
    optimizerMoments: isOnHost ? 0 : 2 * trained * full,
    gradients: trained * full,
    activations,
    headWorkspace,
    keyValueCache,
    samplingWorkspace,
  };
  const lasting = parts.weights + parts.snapshots + parts.masterWeights + parts.optimizerMoments;
  // The state of the largest tensor, after the passes have freed their activations.
  const lent = isOnHost
    ? (master > 0 ? 3 : 2) * full * Math.max(...Array.from(heldShapes(shapes).values(), sizeOf))
    : 0;
  const passes = Math.max(parts.activations + parts.headWorkspace, lent);
  const inTraining = parts.gradients + passes;
  const inSampling = parts.keyValueCache + parts.samplingWorkspace;
  const { microBatch, rollouts } = settings;
  // Only small blocks fragment.
  const overhead = (coming: number, small: number, tokens: number): number =>
    Math.ceil(Math.min(productWorkspace, coming) + overheadShare * small + rotaryNumbers(config, tokens) * working);
  const tokens = rowsOf(settings, microBatch);
  const trainingOverhead = overhead(inTraining, parts.activations, tokens);
  const samplingOverhead = overhead(inSampling, parts.samplingWorkspace, rollouts) + packedBytes(config, settings);
  const training = lasting + inTraining + trainingOverhead;
  const sampling = lasting + inSampling + samplingOverhead;
  return {
    ...parts,
    trainingOverhead,
    samplingOverhead,
    training,
    sampling,
    peak: Math.max(training, sampling),
    host: isOnHost ? master + 2 * trained * full : 0,
  };
}

/** Default true. */
interface Sharing {
  readonly shared?: boolean;
}

/** Peak bytes without gradients. */
export function trainingPassBytes(
  config: ModelConfig,
  { shared = true, ...settings }: Pick<MemorySettings, "dtype" | "lora" | "recompute" | "headBytes"> & Sharing,
  sequences: readonly TrainingSequence[],
): number {
  const meter = meterOf(settings);
  const { kernels } = meter;
  const model = blankModel(kernels, config, settings.lora);
  const gradients = new Gradients(kernels);
  const pass = (): void => {
    const forward = passForward(model, packBatch(kernels, sequences, { shared }), settings.recompute);
    const predictions = forward.batch.predicted.length;
    passBackward(model, forward, kernels.upload(new Float64Array(predictions), [predictions], "full"), gradients);
  };
  // Only the first pass allocates gradients.
  kernels.scope(pass);
  return peakOf(meter, pass);
}

/** Peak bytes. */
export function forwardPassBytes(
  config: ModelConfig,
  { shared = true, ...settings }: Pick<MemorySettings, "dtype" | "lora"> & Sharing,
  sequences: readonly TrainingSequence[],
): number {
  const meter = meterOf(settings);
  const model = blankModel(meter.kernels, config, settings.lora);
  return peakOf(meter, () => passForward(model, packBatch(meter.kernels, sequences, { shared }), "layer"));
}

function meterOf({
  dtype,
  headBytes = defaultHeadBytes,
}: Pick<MemorySettings, "dtype" | "headBytes">): MeasuredKernels {
  return new MeasuredKernels(dtype, { scratch: libtorchScratch(elementBytes[dtype], { headBytes }), sharing: true });
}

function peakOf(meter: MeasuredKernels, body: () => void): number {
  const before = meter.bytes();
  meter.startPeak();
  meter.kernels.scope(body);
  return meter.peak() - before;
}

function trainingActivations(
  config: ModelConfig,
  settings: MemorySettings,
): { readonly activations: number; readonly headWorkspace: number; readonly weights: number } {
  const meter = meterOf(settings);
  blankModel(meter.kernels, config, settings.lora);
  const sequences = blankSequences(settings, settings.microBatch, config.vocabularySize);
  const whole = trainingPassBytes(config, settings, sequences);
  const activations = trainingPassBytes(config, { ...settings, headBytes: 0 }, sequences);
  return { activations, headWorkspace: whole - activations, weights: meter.bytes() };
}

function samplingMemory(
  config: ModelConfig,
  { dtype, lora, rollouts, promptTokens, completionTokens, cachePageSize = 1 }: MemorySettings,
): { readonly keyValueCache: number; readonly samplingWorkspace: number } {
  if (rollouts === 0) return { keyValueCache: 0, samplingWorkspace: 0 };
  const meter = meterOf({ dtype });
  const { kernels } = meter;
  const model = blankModel(kernels, config, lora);
  const positions = Math.min(promptTokens + completionTokens, config.maxPositions);
  const capacity = cachePageSize * Math.ceil(positions / cachePageSize);
  const { kvHeads, headDim } = config;
  const empty = meter.bytes();
  const caches = Array.from({ length: config.layers }, () =>
    kernels.createCache({ pages: rollouts, pageSize: capacity, kvHeads, headDim }),
  );
  const keyValueCache = meter.bytes() - empty;
  const prompts = Math.max(1, Math.min(rollouts, Math.floor(prefillTokens / promptTokens)));
  const width = cachePageSize === 1 ? 1 : capacity / cachePageSize;
  const peaks = [
    stepPeak(meter, model, caches, prompts, promptTokens, width),
    stepPeak(meter, model, caches, rollouts, 1, width),
  ];
  return { keyValueCache, samplingWorkspace: Math.max(...peaks) };
}

function packedBytes(config: ModelConfig, { dtype, rollouts, packedWeights }: MemorySettings): number {
  if (rollouts === 0 || dtype !== "float32" || !packedWeights) return 0;
  const [least, most] = packedWeights;
  let count = 0;
  for (const [name, shape] of heldShapes(parameterShapes(config))) {
    const size = sizeOf(shape);
    const multiplies = shape.length === 2 && (name !== embeddingName || headName(config) === embeddingName);
    if (multiplies && size >= least && size <= most) count += size;
  }
  return count * elementBytes.float32.full;
}

/** Peak bytes with `tokens` new tokens per row. */
function stepPeak(
  meter: MeasuredKernels,
  model: ModelOnDevice,
  caches: readonly KeyValueCache[],
  rows: number,
  tokens: number,
  pagesPerRow: number,
): number {
  const { kernels } = model;
  return peakOf(meter, () => {
    const plan = blankPlan(kernels, rows, tokens, 0, pagesPerRow);
    const last = Int32Array.from({ length: rows }, (_, row) => (row + 1) * tokens - 1);
    forwardCached(model, new Int32Array(rows * tokens), caches, plan, last);
  });
}

/** 0 if none fit. */
export interface LargestBatches {
  /** Sequences and rows of a training micro-batch. */
  readonly microBatch: number;
  readonly maxTokensPerMicroBatch: number;
  readonly rollouts: number;
}

/** Larger batches are not faster. */
const most = { microBatchTokens: 1 << 20, rollouts: 1 << 16 } as const;

/** Largest batches with the planned lengths. */
export function largestBatches(
  config: ModelConfig,
  settings: Omit<MemorySettings, "microBatch" | "rollouts">,
  memoryBytes: number,
): LargestBatches {
  const sequences = sequencesWithin(settings, most.microBatchTokens);
  const microBatch = largest(Math.max(1, sequences), (count) => {
    return planMemory(config, { ...settings, microBatch: count, rollouts: 0 }).training <= memoryBytes;
  });
  return {
    microBatch,
    maxTokensPerMicroBatch: rowsOf(settings, microBatch),
    rollouts: largest(most.rollouts, (rollouts) => {
      return planMemory(config, { ...settings, microBatch: 0, rollouts }).sampling <= memoryBytes;
    }),
  };
}

function largest(limit: number, fits: (count: number) => boolean): number {
  let registry = 0;
  let beyond = 1;
  while (beyond <= limit && fits(beyond)) [registry, beyond] = [beyond, 2 * beyond];
  beyond = Math.min(beyond, limit + 1);
  while (beyond - registry > 1) {
    const middle = Math.floor((registry + beyond) / 2);
    if (fits(middle)) registry = middle;
    else beyond = middle;
  }
  return registry;
}
