import type { KeyValueCache } from "@laconic/engine/kernels";
import type { TorchTensor } from "../tensors.ts";

/** One layer's keys and values, [pages * kvHeads, pageSize, headDim] each: every head's positions lie together. */
export interface TorchCache extends KeyValueCache {
  readonly keys: TorchTensor;
  readonly values: TorchTensor;
}
