/**
 * Kernel sets of the Laconic engine: WebAssembly, and on TensorFlow.js TensorFlow and WebGPU.
 * @module @laconic/kernels-tfjs
 */
export { createKernels, wasmKernels } from "./wasm/create-kernels.ts";
export { hasRelaxedSimd } from "./wasm/has-relaxed-simd.ts";
export { wasmPageSize } from "./wasm/wasm-kernels.ts";
export { createKernels as createTensorFlowKernels, tensorFlowKernels } from "./tensorflow/create-kernels.ts";
export { createKernels as createWebGpuKernels, webGpuKernels } from "./webgpu/create-kernels.ts";
export { isInstalled } from "./optional-module.ts";
export { installDevice } from "./install/install-device.ts";
export type { InstallOptions, OptionalDevice } from "./install/install-options.ts";
export { runCommand } from "./install/run-command.ts";
export type { Outcome, RunCommand } from "./install/run-command.ts";
