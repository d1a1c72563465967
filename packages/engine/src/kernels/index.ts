/**
 * The kernel contract: what a device must offer so that the transformer runs on it.
 * @module @laconic/engine/kernels
 */
export type {
  AdamWStep,
  AttentionShape,
  CachePlan,
  CreateKernels,
  KernelSource,
  Kernels,
  KeyValueCache,
  RotaryTables,
  SamplingRows,
  SequenceLayout,
  Tensor,
} from "./contract.ts";
