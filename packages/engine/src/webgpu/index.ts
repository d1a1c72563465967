/**
 * Kernel set on WebGPU: any GPU with Vulkan, Metal or Direct3D 12.
 * @module @laconic/engine/webgpu
 */
export { createKernels, isInstalled, webGpuKernels, type WebGpuOptions } from "./webgpu-kernels.ts";
