import type { CachePlan, Kernels } from "../kernels/index.ts";
import { sequenceLayout } from "../transformer/packed-batch.ts";

export function cachePlan(
  kernels: Kernels,
  { table, width }: { readonly table: Int32Array; readonly width: number },
  past: Int32Array,
  offsets: ArrayLike<number>,
): CachePlan {
  return {
    layout: sequenceLayout(kernels, offsets),
    table,
    tableOnDevice: kernels.upload(table, [past.length, width]),
    past,
    pastOnDevice: kernels.upload(past, [past.length]),
  };
}
