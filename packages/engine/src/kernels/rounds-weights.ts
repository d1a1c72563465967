import type { Kernels } from "./contract.ts";

/** True if AdamW needs `AdamWMoments.master`. */
export function roundsWeights(dtype: Kernels["dtype"]): boolean {
  return dtype === "bfloat16";
}
