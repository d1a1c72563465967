import type { AttentionShape, CachePlan, KeyValueCache } from "@laconic/engine/kernels";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";

/**
 * What a backend may do in one pass of its own where TensorFlow.js's operations would take many. Shapes are checked before;
 * nothing here is empty. The results belong to the caller.
 */
export interface FusedOperations<Device> {
  /** Writes k and v to their places in the cache, [pages * kvHeads * pageSize, headDim]; out [N, queryHeads * headDim]. */
  attentionCached(
    device: Device,
    inputs: Readonly<Record<"q" | "k" | "v" | "keys" | "values", TfTensor>>,
    cache: KeyValueCache,
    shape: AttentionShape,
    plan: CachePlan,
  ): TfTensor;
}
