/**
 * Counting what the kernels ask of PyTorch, without PyTorch.
 * @module @laconic/kernels-torch/testing
 */
export { standInKernels } from "./stand-in-kernels.ts";
export type { StandIn, StandInOptions } from "./stand-in-kernels.ts";
export { nativeSymbols, type NativeSymbols } from "../native/library.ts";
