import type { CachePlan, Kernels } from "@laconic/kernels";
import { sequenceLayout } from "../transformer/packed-batch.ts";

/** Packs per-row stretches of new tokens. */
export function cachePlan(kernels: Kernels, rows: Int32Array, past: Int32Array, offsets: ArrayLike<number>): CachePlan {
  return {
    layout: sequenceLayout(kernels, offsets),
    rows,
    rowsOnDevice: kernels.upload(rows, [rows.length]),
    past,
    pastOnDevice: kernels.upload(past, [past.length]),
  };
}
