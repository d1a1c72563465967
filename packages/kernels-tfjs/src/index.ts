/**
 * The kernel sets of the Laconic engine on TensorFlow.js: wasm, TensorFlow, WebGPU.
 * @module @laconic/kernels-tfjs
 */
export { createKernels, wasmKernels } from "./wasm/create-kernels.ts";
export { tensorFlowKernels } from "./tensorflow/create-kernels.ts";
export { webGpuKernels } from "./webgpu/create-kernels.ts";
export { installDevice } from "./install/install-device.ts";
export type { InstallOptions, OptionalDevice } from "./install/install-device.ts";
export { runCommand } from "./install/run-command.ts";
export type { Outcome, RunCommand } from "./install/run-command.ts";
