import type { LoraSettings } from "@laconic/core";
import type { Tensor } from "../kernels/index.ts";

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
