/**
 * What a kernel set is measured by: reference kernels in float64.
 * @module @laconic/engine/kernels/testing
 */
export { createKernels, createReferenceKernels, referenceKernels } from "./reference-kernels.ts";
