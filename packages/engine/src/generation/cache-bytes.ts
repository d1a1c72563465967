import type { Kernels } from "../kernels/index.ts";
import { elementBytes } from "../memory/element-bytes.ts";
import type { ModelConfig } from "../transformer/model-config.ts";

/** Share of the memory that is free when a device is first asked; the rest is for activations and logits. */
export const freeShare = 0.75;

/** Where a device does not say what it has: browsers. */
const unknownBytes = 2 ** 30;

/** Bytes of one position's keys and values in all layers. */
export function positionBytes(
  { layers, kvHeads, headDim }: Pick<ModelConfig, "layers" | "kvHeads" | "headDim">,
  dtype: Kernels["dtype"],
): number {
  return elementBytes[dtype].working * 2 * layers * kvHeads * headDim;
}

/**
 * Bytes that key-value caches take for replies that hold so many positions each.
 *
 * @param pageSize - positions of a page as the kernel set has it; null where all replies take as much as the longest
 */
export function keyValueCacheBytes(
  config: Pick<ModelConfig, "layers" | "kvHeads" | "headDim">,
  dtype: Kernels["dtype"],
  positions: readonly number[],
  pageSize: number | null = null,
): number {
  const longest = positions.reduce((most, each) => Math.max(most, each), 0);
  const held = (each: number): number => (pageSize === null ? longest : Math.ceil(each / pageSize) * pageSize);
  return positions.reduce((sum, each) => sum + held(each), 0) * positionBytes(config, dtype);
}

/** Free when a kernel set was first asked: later a library that keeps memory for reuse says less than there is. */
const firstFree = new WeakMap<Pick<Kernels, "memory">, number | null>();

/** Bounds the memory of key-value caches: in bytes, or as a share of what the device has free when it is first asked. */
export type CacheLimit = { readonly bytes: number } | { readonly share: number };

/** Most bytes of key-value caches; of a device that does not say what it has, 1 GiB. */
export function cacheLimitBytes(kernels: Pick<Kernels, "memory">, limit: CacheLimit): number {
  if ("bytes" in limit) return limit.bytes;
  let free = firstFree.get(kernels);
  if (free === undefined) firstFree.set(kernels, (free = kernels.memory()?.free ?? null));
  return free === null ? unknownBytes : Math.floor(limit.share * free);
}
