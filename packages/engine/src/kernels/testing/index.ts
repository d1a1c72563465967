/**
 * Reference kernels in float64, and the conformance suite of kernel sets.
 * @module @laconic/engine/kernels/testing
 */
export { createKernels, createReferenceKernels, referenceKernels } from "./reference-kernels.ts";
export { kernelCases } from "./kernel-cases.ts";
