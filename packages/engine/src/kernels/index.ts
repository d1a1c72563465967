/**
 * The kernel contract: what a device must offer so that the transformer runs on it, and the checks that kernel sets share.
 * @module @laconic/engine/kernels
 */
export type {
  AdamWMoments,
  AdamWStep,
  AttentionShape,
  CachePlan,
  CreateKernels,
  DeviceMemory,
  KernelSource,
  Kernels,
  KeyValueCache,
  Precision,
  RotaryTables,
  SamplingRows,
  SequenceLayout,
  Tensor,
} from "./contract.ts";

export {
  expectCacheHeads,
  expectCachePlan,
  expectFloats,
  expectHeads,
  expectInts,
  expectLayout,
  matrix,
  sizeOf,
  expectRowCopies,
  expectTokenLogProbs,
} from "./shape-checks.ts";

export { TensorScopes } from "./tensor-scopes.ts";
