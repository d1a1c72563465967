/**
 * The kernel set of the Laconic engine on TensorFlow.js.
 * @module @laconic/kernels-tfjs
 */
export { createKernels, wasmKernels } from "./wasm/create-kernels.ts";
