import { LaconicError, type LoraSettings } from "@laconic/core";
import type { AttentionShape, Kernels, RotaryTables, Tensor } from "../kernels/index.ts";
import type { ModelConfig } from "./model-config.ts";
import { scoreName } from "./parameters.ts";
import { cosine, sine } from "@laconic/core/numeric";

export interface ModelOnDevice {
  readonly kernels: Kernels;
  readonly config: ModelConfig;
  /** Named as in {@link heldShapes}; [out, in]. */
  readonly parameters: ReadonlyMap<string, Tensor>;
  /** Trained instead of the parameters. */
  readonly adapter: AdapterOnDevice | null;
  /** Without activations of the layers. */
  readonly trainsHeadAlone?: true;
  readonly rotary: readonly RotaryTables[];
  /** Has ones for each width of norms with an offset. */
  readonly ones?: readonly Tensor[];
  /** Tokenizer's tokens in a padded vocabulary; later ids are never drawn. */
  readonly tokenCount?: number;
  /** True in decode passes. */
  readonly steady?: true;
}

export function trainable(model: ModelOnDevice): ReadonlyMap<string, Tensor> {
  if (model.trainsHeadAlone) return new Map([[scoreName, parameter(model, scoreName)]]);
  return model.adapter?.matrices ?? model.parameters;
}

export function modelOf(kernels: Kernels, config: ModelConfig, parameters: ReadonlyMap<string, Tensor>): ModelOnDevice {
  const ones = config.family.normOffset && {
    ones: [...new Set([config.hiddenSize, config.headDim])].map((width) =>
      kernels.keep(kernels.upload(new Float64Array(width).fill(1), [width])),
    ),
  };
  return { kernels, config, parameters, adapter: null, rotary: rotaryTables(kernels, config), ...ones };
}

export function freeModel({ kernels, parameters, rotary, ones = [] }: ModelOnDevice): void {
  kernels.free(...parameters.values(), ...ones, ...rotary.flatMap(({ cos, sin }) => [cos, sin]));
}

/** @throws LaconicError `engine_failed`, which is a bug. */
export function parameter(model: ModelOnDevice, name: string): Tensor {
  const tensor = model.parameters.get(name);
  if (!tensor) throw new LaconicError("engine_failed", `the model has no parameter ${name}`, { name });
  return tensor;
}

/** Factor of a norm: its weight, or 1 + weight. */
export function normWeight(model: ModelOnDevice, name: string): Tensor {
  const weight = parameter(model, name);
  const ones = model.ones?.find(({ shape }) => shape[0] === weight.shape[0]);
  return ones ? model.kernels.add(weight, ones) : weight;
}

export function attentionShape(config: ModelConfig): AttentionShape {
  const { queryHeads, kvHeads, headDim, attentionScale } = config;
  return { queryHeads, kvHeads, headDim, scale: attentionScale };
}

export function rotaryTables(kernels: Kernels, { rotations, maxPositions }: ModelConfig): RotaryTables[] {
  return rotations.map(({ frequencies, scale }) => {
    const half = frequencies.length;
    const table = (f: (angle: number) => number): Tensor => {
      const values = Float64Array.from(
        { length: maxPositions * half },
        (_, n) => scale * f(Math.floor(n / half) * frequencies[n % half]!),
      );
      return kernels.keep(kernels.upload(values, [maxPositions, half]));
    };
    return { cos: table(cosine), sin: table(sine) };
  });
}

export const pairNames = (projection: string): { readonly a: string; readonly b: string } => ({
  a: `${projection}.lora_A.weight`,
  b: `${projection}.lora_B.weight`,
});

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
