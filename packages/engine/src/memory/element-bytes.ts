import type { Kernels } from "../kernels/index.ts";

/** Bytes of one number. */
export interface ElementBytes {
  readonly working: number;
  readonly full: number;
  /** Of a matrix of weights, and of cached keys and values. */
  readonly held: number;
}

export const elementBytes: Readonly<Record<Kernels["dtype"], ElementBytes>> = {
  bfloat16: { working: 2, full: 4, held: 2 },
  float16: { working: 4, full: 4, held: 2 },
  float32: { working: 4, full: 4, held: 4 },
  float64: { working: 8, full: 8, held: 8 },
};
