/**
 * A kernel set of the Laconic engine on WebGPU: any GPU that Vulkan, Metal or Direct3D 12 reaches, in Node and in browsers.
 * @module @laconic/engine/webgpu
 */
export { createKernels, isInstalled, webGpuKernels } from "./create-kernels.ts";
export type { WebGpuOptions } from "./create-kernels.ts";
