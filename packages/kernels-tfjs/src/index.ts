/**
 * A kernel set of the Laconic engine on TensorFlow.js, on the CPU or CUDA.
 * @module @laconic/kernels-tfjs
 */
export { createKernels as createTensorFlowKernels, tensorFlowKernels } from "./tensorflow/create-kernels.ts";
export { isInstalled } from "./optional-module.ts";
