/**
 * Kernel set on WebAssembly with SIMD and threads.
 * @module @laconic/engine/wasm
 */
export { createKernels, wasmKernels, wasmPageSize, type WasmOptions } from "./wasm-kernels.ts";
