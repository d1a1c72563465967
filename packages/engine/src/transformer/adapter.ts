import type { LoraSettings } from "@laconic/core";
import type { Tensor } from "../kernels/index.ts";

/** The two matrices of an adapted projection, by the names they have beside the base's. */
export const pairNames = (projection: string): { readonly a: string; readonly b: string } => ({
  a: `${projection}.lora_A.weight`,
  b: `${projection}.lora_B.weight`,
});

/** A model's low-rank matrices on one device. */
export interface AdapterOnDevice {
  readonly settings: LoraSettings;
  readonly scale: number;
  readonly matrices: ReadonlyMap<string, Tensor>;
}

export function adapterOf(settings: LoraSettings, matrices: ReadonlyMap<string, Tensor>): AdapterOnDevice {
  const { alpha, rank, rankStabilized = false } = settings;
  return { settings, scale: alpha / (rankStabilized ? Math.sqrt(rank) : rank), matrices };
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
