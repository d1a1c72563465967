/**
 * The wasm kernels alone: what a browser bundles.
 * @module @laconic/kernels-tfjs/wasm
 */
export { createKernels, wasmKernels } from "./create-kernels.ts";
export { hasRelaxedSimd } from "./has-relaxed-simd.ts";
export type { WasmOptions } from "./create-kernels.ts";
