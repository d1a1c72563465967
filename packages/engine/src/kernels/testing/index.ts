/**
 * What a kernel set is measured by: reference kernels in float64, and the conformance suite.
 * @module @laconic/engine/kernels/testing
 */
export { createKernels, createReferenceKernels, referenceKernels } from "./reference-kernels.ts";
export { kernelCases } from "./kernel-cases.ts";
