import type { Kernels } from "./contract.ts";

/** Whether a set of this precision rounds weights, so that AdamW keeps exact ones, `AdamWMoments.master`. */
export function roundsWeights(dtype: Kernels["dtype"]): boolean {
  return dtype === "bfloat16";
}
