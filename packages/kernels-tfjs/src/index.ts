/**
 * Kernel sets of the Laconic engine on TensorFlow.js: TensorFlow's own library, and any GPU through WebGPU.
 * @module @laconic/kernels-tfjs
 */
export { createKernels as createTensorFlowKernels, tensorFlowKernels } from "./tensorflow/create-kernels.ts";
export { createKernels as createWebGpuKernels, webGpuKernels } from "./webgpu/create-kernels.ts";
export { isInstalled } from "./optional-module.ts";
export { installDevice } from "./install/install-device.ts";
export type { InstallOptions, OptionalDevice } from "./install/install-options.ts";
export { runCommand } from "./install/run-command.ts";
export type { Outcome, RunCommand } from "./install/run-command.ts";
