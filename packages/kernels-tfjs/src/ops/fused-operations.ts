import type { AttentionShape, CachePlan, KeyValueCache } from "@laconic/kernels";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";

/**
 * What a backend may do in one pass of its own where TensorFlow.js's operations would take many. Shapes are checked before;
 * nothing here is empty. The results belong to the caller.
 */
export interface FusedOperations<Device> {
  /** out [N, queryHeads * headDim]; the cache, [pages * kvHeads * pageSize, headDim], holds the new tokens already. */
  attentionCached(
    device: Device,
    inputs: { readonly q: TfTensor; readonly keys: TfTensor; readonly values: TfTensor },
    cache: KeyValueCache,
    shape: AttentionShape,
    plan: CachePlan,
  ): TfTensor;
}
