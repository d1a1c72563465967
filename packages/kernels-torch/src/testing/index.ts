/**
 * Counting what the kernels ask of PyTorch, and looking up whether PyTorch has it, without running PyTorch.
 * @module @laconic/kernels-torch/testing
 */
export { standInKernels, type StandIn, type StandInOptions } from "./stand-in-kernels.ts";
export { isAskedOfMps, operatorRegistry, type OperatorPlace } from "./operator-registry.ts";
export { processorOperators } from "../native/mps-operators.ts";
export { nativeSymbols, type NativeSymbols } from "../native/library.ts";
