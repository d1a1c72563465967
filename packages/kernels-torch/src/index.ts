/**
 * The kernel set on libtorch, the C++ library inside PyTorch.
 * @module @laconic/kernels-torch
 */
export { createKernels, torchKernels, torchMemory, type TorchOptions, type TorchMemory } from "./create-kernels.ts";
export { findTorch, type TorchInstall } from "./find/torch-install.ts";
export { listGpus, type Gpu } from "./native/cuda-driver.ts";
