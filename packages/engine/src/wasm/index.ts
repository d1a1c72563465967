/**
 * Kernel set on WebAssembly with SIMD and threads, in Node and in browsers.
 * @module @laconic/engine/wasm
 */
export { createKernels, wasmKernels } from "./create-kernels.ts";
export type { WasmOptions } from "./create-kernels.ts";
export { hasRelaxedSimd } from "./has-relaxed-simd.ts";
export { wasmPageSize } from "./wasm-kernels.ts";
