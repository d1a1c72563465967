import { LaconicError, type LoraSettings } from "@laconic/core";
import type { AttentionShape, Kernels, RotaryTables, Tensor } from "../kernels/index.ts";
import type { ModelConfig } from "./model-config.ts";
import { scoreName } from "./parameters.ts";
import { cosine, sine } from "@laconic/core/numeric";

/** Weights and tables of a model on one device. */
export interface ModelOnDevice {
  readonly kernels: Kernels;
  readonly config: ModelConfig;
  /** Named as in {@link heldShapes}; [out, in]. */
  readonly parameters: ReadonlyMap<string, Tensor>;
  /** Trained instead of the parameters. */
  readonly adapter: AdapterOnDevice | null;
  /** Without activations of the layers. */
  readonly trainsHeadAlone?: true;
  readonly rotary: RotaryTables;
  /** Tokenizer's tokens in a padded vocabulary; later ids are never drawn. */
  readonly tokenCount?: number;
  /** True in decode passes. */
  readonly steady?: true;
}

/** Trained tensors by name. */
export function trainable(model: ModelOnDevice): ReadonlyMap<string, Tensor> {
  if (model.trainsHeadAlone) return new Map([[scoreName, parameter(model, scoreName)]]);
  return model.adapter?.matrices ?? model.parameters;
}

export function modelOf(kernels: Kernels, config: ModelConfig, parameters: ReadonlyMap<string, Tensor>): ModelOnDevice {
  return { kernels, config, parameters, adapter: null, rotary: rotaryTables(kernels, config) };
}

export function freeModel(model: ModelOnDevice): void {
  model.kernels.free(...model.parameters.values(), model.rotary.cos, model.rotary.sin);
}

/** @throws LaconicError `engine_failed`, which is a bug. */
export function parameter(model: ModelOnDevice, name: string): Tensor {
  const tensor = model.parameters.get(name);
  if (!tensor) throw new LaconicError("engine_failed", `the model has no parameter ${name}`, { name });
  return tensor;
}

export function attentionShape(config: ModelConfig): AttentionShape {
  const { queryHeads, kvHeads, headDim } = config;
  return { queryHeads, kvHeads, headDim, scale: 1 / Math.sqrt(headDim) };
}

/** Cosines and sines (Su et al. 2021, Llama 3.1 scaling if configured). */
export function rotaryTables(kernels: Kernels, config: ModelConfig): RotaryTables {
  const half = config.headDim / 2;
  const frequencies = Float64Array.from({ length: half }, (_, i) => frequency(config, i));
  const table = (f: (angle: number) => number): Float64Array =>
    Float64Array.from({ length: config.maxPositions * half }, (_, n) =>
      f(Math.floor(n / half) * (frequencies[n % half] as number)),
    );
  const shape = [config.maxPositions, half];
  return {
    cos: kernels.keep(kernels.upload(table(cosine), shape)),
    sin: kernels.keep(kernels.upload(table(sine), shape)),
  };
}

function frequency(config: ModelConfig, index: number): number {
  const base = config.ropeTheta ** ((-2 * index) / config.headDim);
  const scaling = config.ropeScaling;
  if (scaling === null) return base;
  const wavelength = (2 * Math.PI) / base;
  const ratio = scaling.originalMaxPositions / wavelength;
  if (ratio < scaling.lowFrequencyFactor) return base / scaling.factor;
  if (ratio > scaling.highFrequencyFactor) return base;
  // Blends between scaled and unscaled frequencies.
  const smooth = (ratio - scaling.lowFrequencyFactor) / (scaling.highFrequencyFactor - scaling.lowFrequencyFactor);
  return ((1 - smooth) * base) / scaling.factor + smooth * base;
}

/** Names of a projection's adapter matrices. */
export const pairNames = (projection: string): { readonly a: string; readonly b: string } => ({
  a: `${projection}.lora_A.weight`,
  b: `${projection}.lora_B.weight`,
});

/** Low-rank matrices on one device. */
export interface AdapterOnDevice {
  readonly settings: LoraSettings;
  readonly scale: number;
  readonly matrices: ReadonlyMap<string, Tensor>;
}

export function adapterOf(settings: LoraSettings, matrices: ReadonlyMap<string, Tensor>): AdapterOnDevice {
  const { alpha, rank, rankStabilized = false } = settings;
  return { settings, scale: alpha / (rankStabilized ? Math.sqrt(rank) : rank), matrices };
}

/** Null without adapter. */
export function adapterPair(
  adapter: AdapterOnDevice | null,
  projection: string,
): { readonly a: Tensor; readonly b: Tensor } | null {
  if (!adapter) return null;
  const names = pairNames(projection);
  const [a, b] = [adapter.matrices.get(names.a), adapter.matrices.get(names.b)];
  return a && b ? { a, b } : null;
}
