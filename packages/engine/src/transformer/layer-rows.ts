import type { Kernels, SequenceLayout, Tensor } from "../kernels/index.ts";
import type { Dropout } from "./dropout.ts";

/** The packed rows that a layer works on, and which of its output rows are wanted. */
export interface LayerRows {
  readonly positions: Tensor;
  readonly layout: SequenceLayout;
  /** Rows [M] among `of` that anything reads; all when absent. Attention needs every row, what follows it does not. */
  readonly wanted?: { readonly rows: Tensor; readonly of: number };
  readonly dropout?: Dropout;
}

/** The wanted rows of x, or x itself when all are. */
export function gatherSelectedRows(kernels: Kernels, x: Tensor, { wanted }: LayerRows): Tensor {
  return wanted ? kernels.gatherRows(x, wanted.rows) : x;
}

/** Backward of `gatherSelectedRows`: rows that nothing read have gradient 0. */
export function scatterSelectedRows(kernels: Kernels, dKept: Tensor, { wanted }: LayerRows): Tensor {
  return wanted ? kernels.scatterAddRows(dKept, wanted.rows, wanted.of) : dKept;
}
