import type { Kernels } from "../kernels/index.ts";

export interface ElementBytes {
  readonly working: number;
  readonly full: number;
}

export const elementBytes: Readonly<Record<Kernels["dtype"], ElementBytes>> = {
  bfloat16: { working: 2, full: 4 },
  float32: { working: 4, full: 4 },
  float64: { working: 8, full: 8 },
};
