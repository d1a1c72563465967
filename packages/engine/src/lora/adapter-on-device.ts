import type { LoraSettings, Random } from "@laconic/core";
import type { Kernels, Tensor } from "../kernels/index.ts";
import { loraScale, pairNames } from "./lora-settings.ts";

/** A model's low-rank matrices on one device. */
export interface AdapterOnDevice {
  readonly settings: LoraSettings;
  readonly scale: number;
  /** By name. */
  readonly matrices: ReadonlyMap<string, Tensor>;
}

export function adapterOf(settings: LoraSettings, matrices: ReadonlyMap<string, Tensor>): AdapterOnDevice {
  return { settings, scale: loraScale(settings), matrices };
}

/** The matrices of a projection; null where it has no adapter. */
export function adapterPair(
  adapter: AdapterOnDevice | null,
  projection: string,
): { readonly a: Tensor; readonly b: Tensor } | null {
  if (!adapter) return null;
  const names = pairNames(projection);
  const [a, b] = [adapter.matrices.get(names.a), adapter.matrices.get(names.b)];
  return a && b ? { a, b } : null;
}

/** Which inputs of the adapters a training pass leaves out. */
export interface AdapterDropout {
  readonly rate: number;
  /** Each projection draws from its own stream, so that recomputing it leaves out the same. */
  readonly random: Random;
}

/** The adapter's input with a share of it set to 0 and the rest enlarged to keep its mean. */
export function dropInputs(
  kernels: Kernels,
  x: Tensor,
  projection: string,
  dropout: AdapterDropout | undefined,
): { readonly input: Tensor; readonly mask: Tensor | null } {
  if (!dropout || dropout.rate === 0) return { input: x, mask: null };
  const stream = dropout.random.split(projection);
  const size = x.shape.reduce((product, length) => product * length, 1);
  const kept = 1 / (1 - dropout.rate);
  const values = new Float32Array(size);
  for (let i = 0; i < size; i++) values[i] = stream.uniform() < dropout.rate ? 0 : kept;
  const mask = kernels.upload(values, x.shape);
  return { input: kernels.multiply(x, mask), mask };
}
