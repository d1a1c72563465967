/**
 * The WebGPU kernels alone: on the browser's own WebGPU, on Dawn in Node.
 * @module @laconic/kernels-tfjs/webgpu
 */
export { createKernels, webGpuKernels } from "./create-kernels.ts";
