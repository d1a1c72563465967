import type { AttentionShape, CachePlan, KeyValueCache, SequenceLayout } from "@laconic/kernels";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";

/**
 * What a backend may do in one pass of its own where TensorFlow.js's operations would take many. Shapes are checked before;
 * nothing here is empty. The results belong to the caller.
 */
export interface FusedOperations<Device> {
  /** out [N, queryHeads * headDim] and logSumExp [N, queryHeads] of packed sequences. */
  attention(
    device: Device,
    inputs: { readonly q: TfTensor; readonly k: TfTensor; readonly v: TfTensor },
    shape: AttentionShape,
    layout: SequenceLayout,
  ): [out: TfTensor, logSumExp: TfTensor];
  /** `delta` [N, queryHeads]: the sum of dOut * out over a head. */
  attentionBackward(
    device: Device,
    inputs: Readonly<Record<"q" | "k" | "v" | "dOut" | "logSumExp" | "delta", TfTensor>>,
    shape: AttentionShape,
    layout: SequenceLayout,
  ): [dQ: TfTensor, dK: TfTensor, dV: TfTensor];
  /** out [N, queryHeads * headDim]; the cache, [pages * kvHeads * pageSize, headDim], holds the new tokens already. */
  attentionCached(
    device: Device,
    inputs: { readonly q: TfTensor; readonly keys: TfTensor; readonly values: TfTensor },
    cache: KeyValueCache,
    shape: AttentionShape,
    plan: CachePlan,
  ): TfTensor;
  /** Of each row of logits [M, V] times its scale [M]: log-softmax at the target, entropy, log-sum-exp; each [M]. */
  selectLogProbs(
    logits: TfTensor,
    targets: TfTensor,
    scale: TfTensor,
  ): [logProbs: TfTensor, entropy: TfTensor, logSumExp: TfTensor];
  /** slope [M] (one-hot(target) - softmax(logits scale)), [M, V]. */
  selectLogProbsBackward(
    logits: TfTensor,
    row: Readonly<Record<"targets" | "scale" | "logSumExp" | "slope", TfTensor>>,
  ): TfTensor;
}
