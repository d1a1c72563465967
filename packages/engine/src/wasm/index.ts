/**
 * Kernel set on WebAssembly with SIMD and threads.
 * @module @laconic/engine/wasm
 */
export { createKernels, wasmKernels } from "./wasm-kernels.ts";
export type { WasmOptions } from "./wasm-kernels.ts";
export { hasRelaxedSimd } from "./wasm-kernels.ts";
export { wasmPageSize } from "./wasm-kernels.ts";
