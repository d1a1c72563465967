import type { Kernels, SequenceLayout, Tensor } from "../kernels/index.ts";
import type { Dropout } from "./dropout.ts";

/** Packed rows of a layer, and wanted output rows. */
export interface LayerRows {
  readonly positions: Tensor;
  readonly layout: SequenceLayout;
  /** Rows [M] among `of` that are read later. Default: all. Attention needs all rows. */
  readonly wanted?: { readonly rows: Tensor; readonly of: number };
  readonly dropout?: Dropout;
}

export function gatherSelectedRows(kernels: Kernels, x: Tensor, { wanted }: LayerRows): Tensor {
  return wanted ? kernels.gatherRows(x, wanted.rows) : x;
}

/** Backward of `gatherSelectedRows`: unread rows have gradient 0. */
export function scatterSelectedRows(kernels: Kernels, dKept: Tensor, { wanted }: LayerRows): Tensor {
  return wanted ? kernels.scatterAddRows(dKept, wanted.rows, wanted.of) : dKept;
}
