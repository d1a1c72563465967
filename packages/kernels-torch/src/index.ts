/**
 * The kernel set on libtorch, the C++ library inside PyTorch.
 * @module @laconic/kernels-torch
 */
export { createKernels, torchKernels } from "./create-kernels.ts";
export type { TorchOptions } from "./create-kernels.ts";
export { torchMemory } from "./create-kernels.ts";
export type { TorchMemory } from "./create-kernels.ts";
export { findTorch } from "./find/torch-install.ts";
export type { TorchInstall } from "./find/torch-install.ts";
export { listGpus } from "./native/cuda-driver.ts";
export type { Gpu } from "./native/cuda-driver.ts";
