import type { Kernels } from "../kernels/index.ts";
import { elementBytes } from "../memory/scratch-bytes.ts";
import type { ModelConfig } from "../transformer/model-config.ts";

/** Share of free memory at first use. */
export const freeShare = 0.75;

/** Used for devices that do not report memory, such as browsers. */
const unknownBytes = 2 ** 30;

/** Bytes of a position in all layers. */
export function positionBytes(
  { layers, kvHeads, headDim }: Pick<ModelConfig, "layers" | "kvHeads" | "headDim">,
  dtype: Kernels["dtype"],
): number {
  return elementBytes[dtype].working * 2 * layers * kvHeads * headDim;
}

/**
 * Bytes of key-value caches for replies with these positions.
 * @param pageSize - null if all replies take as much as the longest
 */
export function keyValueCacheBytes(
  config: Pick<ModelConfig, "layers" | "kvHeads" | "headDim">,
  dtype: Kernels["dtype"],
  positions: readonly number[],
  pageSize: number | null = null,
): number {
  const longest = positions.reduce((most, position) => Math.max(most, position), 0);
  const held = (value: number): number => (pageSize === null ? longest : Math.ceil(value / pageSize) * pageSize);
  return positions.reduce((sum, position) => sum + held(position), 0) * positionBytes(config, dtype);
}

/** A caching library later reports less. */
const firstFree = new WeakMap<Pick<Kernels, "memory">, number | null>();

/** Bytes, or a share of free memory at first use. */
export type CacheLimit = { readonly bytes: number } | { readonly share: number };

/** 1 GiB if the device does not report memory. */
export function cacheLimitBytes(kernels: Pick<Kernels, "memory">, limit: CacheLimit): number {
  if ("bytes" in limit) return limit.bytes;
  let free = firstFree.get(kernels);
  if (free === undefined) firstFree.set(kernels, (free = kernels.memory()?.free ?? null));
  return free === null ? unknownBytes : Math.floor(limit.share * free);
}
