import type { Kernels } from "./contract.ts";

/** Whether weights are rounded, so that AdamW needs `AdamWMoments.master`. */
export function roundsWeights(dtype: Kernels["dtype"]): boolean {
  return dtype === "bfloat16";
}
