/**
 * Counting what the kernels ask of PyTorch, without PyTorch.
 * @module @laconic/kernels-torch/testing
 */
export { countedTraining, standInKernels } from "./stand-in-kernels.ts";
export type { CountedTraining, StandIn, StandInOptions } from "./stand-in-kernels.ts";
export type { Traffic } from "./counting-torch.ts";
export { nativeSymbols, type NativeSymbols } from "../native/library.ts";
