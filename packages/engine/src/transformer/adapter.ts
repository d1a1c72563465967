import type { LoraSettings } from "@laconic/core";
import type { Tensor } from "../kernels/index.ts";
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
