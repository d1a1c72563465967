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
import type { Recompute } from "../transformer/train-pass.ts";
import { passBackward, passForward } from "../transformer/value-pass.ts";
import { blankModel, blankPlan, blankSequences } from "./blank-model.ts";
import { elementBytes } from "./element-bytes.ts";
import { MeteredKernels } from "./metered-kernels.ts";
import { defaultHeadBytes, libtorchScratch } from "./scratch-bytes.ts";
import { rowsOf, sequencesWithin, type SequenceLengths } from "./sequence-lengths.ts";
import { createShapeKernels } from "./shape-kernels.ts";

/** How a model is trained and sampled from. */
export interface MemorySettings extends SequenceLengths {
  readonly dtype: Kernels["dtype"];
  /** Null trains all weights. */
  readonly lora: LoraSettings | null;
  readonly recompute: Recompute;
  /** Frozen copies of what is trained: one for an old policy, one more for a reference. */
  readonly snapshots: number;
  /** Sequences of one micro-batch. */
  readonly microBatch: number;
  /** Replies that are sampled at once. */
  readonly rollouts: number;
  /** Positions of a page of the device's key-value cache: replies take whole pages. None by default. */
  readonly cachePageSize?: number;
  /** Most bytes that a tile of the head takes; 64 MiB by default, as on the CPU. */
  readonly headBytes?: number;
  /** Fewest and most numbers of a float32 matrix that the device keeps twice while it samples. None is by default. */
  readonly packedWeights?: readonly [least: number, most: number];
}

/** Bytes on the device, by part. Both phases hold the first five. */
export interface MemoryPlan {
  readonly weights: number;
  readonly snapshots: number;
  /** Exact copies of rounded weights, where the device holds them in bfloat16. */
  readonly masterWeights: number;
  readonly optimizerMoments: number;
  /** Training only, from the first backward pass to the optimiser's step. */
  readonly gradients: number;
  /** Training only: what forward keeps and backward adds, at its highest, and what operations hold while they run. */
  readonly activations: number;
  /** Training only: what the tiles of the head add to that. */
  readonly headWorkspace: number;
  /**
   * What the device's library takes for itself in each phase: workspace of its products, second copies of weights while it samples, and
   * memory between its blocks.
   */
  readonly trainingOverhead: number;
  readonly samplingOverhead: number;
  /** Sampling only. */
  readonly keyValueCache: number;
  /** Sampling only: activations of the prompts or of a decode step, and its logits. */
  readonly samplingWorkspace: number;
  readonly training: number;
  readonly sampling: number;
  /** The larger of the two: they take turns. */
  readonly peak: number;
}

/**
 * Chosen so that plans hold for the cases of `peak-memory.nightly.test.ts`, on libtorch 2.13 on the CPU (glibc 2.36): a fit, no law. A GPU's
 * library takes another share, which nobody has measured.
 */
const [productWorkspace, overheadShare] = [12 * 2 ** 20, 0.1] as const;

/** Numbers of the tables that libtorch's rotation keeps: cosines and sines of both directions, whole and of the pass. */
function rotaryNumbers({ maxPositions, headDim }: ModelConfig, tokens: number): number {
  return 3 * (maxPositions + tokens) * headDim;
}

/** Most prompt tokens of one prefill pass, as sampling cuts them. */
const prefillTokens = 16_384;

/**
 * What training and sampling take on a device, found by running the real passes over tensors without numbers.
 * Linear in the micro-batch and the rollouts; attention is taken to need no matrix of scores.
 */
export function planMemory(config: ModelConfig, settings: MemorySettings): MemoryPlan {
  const { dtype, lora, snapshots } = settings;
  const { working, full } = elementBytes[dtype];
  const shapes = lora ? adapterShapes(config, lora) : parameterShapes(config);
  const trained = elementCount(shapes);
  const { activations, headWorkspace, weights } = trainingActivations(config, settings);
  const { keyValueCache, samplingWorkspace } = samplingMemory(config, settings);
  const parts = {
    weights,
    snapshots: snapshots * trained * working,
    masterWeights: roundsWeights(dtype) ? trained * full : 0,
    optimizerMoments: 2 * trained * full,
    gradients: trained * full,
    activations,
    headWorkspace,
    keyValueCache,
    samplingWorkspace,
  };
  const lasting = parts.weights + parts.snapshots + parts.masterWeights + parts.optimizerMoments;
  const comingInTraining = parts.gradients + parts.activations + parts.headWorkspace;
  const comingInSampling = parts.keyValueCache + parts.samplingWorkspace;
  const { microBatch, rollouts } = settings;
  // What comes and goes in small blocks falls to pieces; gradients, caches and the head's tiles do not.
  const overhead = (coming: number, small: number, tokens: number): number =>
    Math.ceil(Math.min(productWorkspace, coming) + overheadShare * small + rotaryNumbers(config, tokens) * working);
  const tokens = rowsOf(settings, microBatch);
  const trainingOverhead = overhead(comingInTraining, parts.activations, tokens);
  const samplingOverhead =
    overhead(comingInSampling, parts.samplingWorkspace, rollouts) + packedBytes(config, settings);
  const training = lasting + comingInTraining + trainingOverhead;
  const sampling = lasting + comingInSampling + samplingOverhead;
  return {
    ...parts,
    trainingOverhead,
    samplingOverhead,
    training,
    sampling,
    peak: Math.max(training, sampling),
  };
}

/** Whether sequences share the rows of what they begin with; true by default. */
interface Sharing {
  readonly shared?: boolean;
}

/** Bytes that a training pass of these sequences holds at its highest, gradients left out. */
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
  // Once the gradients are there, what a pass adds to them is activations.
  kernels.scope(pass);
  return peakOf(meter, pass);
}

/** Bytes that a forward pass without gradients holds at its highest. */
export function forwardPassBytes(
  config: ModelConfig,
  { shared = true, ...settings }: Pick<MemorySettings, "dtype" | "lora"> & Sharing,
  sequences: readonly TrainingSequence[],
): number {
  const meter = meterOf(settings);
  const model = blankModel(meter.kernels, config, settings.lora);
  return peakOf(meter, () => passForward(model, packBatch(meter.kernels, sequences, { shared }), "layer"));
}

/** Shapes without numbers, counted as libtorch would hold them. */
function meterOf({ dtype, headBytes = defaultHeadBytes }: Pick<MemorySettings, "dtype" | "headBytes">): MeteredKernels {
  return new MeteredKernels(createShapeKernels(dtype), {
    scratch: libtorchScratch(elementBytes[dtype], { headBytes }),
    sharing: true,
  });
}

function peakOf(meter: MeteredKernels, body: () => void): number {
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

/** Second copies of the matrices that decoding multiplies with. */
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

/** What a pass of `tokens` new tokens in each of some rows takes beside weights and caches. */
function stepPeak(
  meter: MeteredKernels,
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

/** What fits into a device's memory; 0 when not even one does. */
export interface LargestBatches {
  /** Sequences of one training micro-batch, and the rows that they take. */
  readonly microBatch: number;
  readonly maxTokensPerMicroBatch: number;
  readonly rollouts: number;
}

/** No batch is planned beyond this: more would not be faster. */
const most = { microBatchTokens: 1 << 20, rollouts: 1 << 16 } as const;

/** The largest micro-batch and the largest rollout batch of sequences of the planned length. */
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

/** The largest count from 0 to `limit` that fits, where what fits is a beginning of them. */
function largest(limit: number, fits: (count: number) => boolean): number {
  let known = 0;
  let beyond = 1;
  while (beyond <= limit && fits(beyond)) [known, beyond] = [beyond, 2 * beyond];
  beyond = Math.min(beyond, limit + 1);
  while (beyond - known > 1) {
    const middle = Math.floor((known + beyond) / 2);
    if (fits(middle)) known = middle;
    else beyond = middle;
  }
  return known;
}
