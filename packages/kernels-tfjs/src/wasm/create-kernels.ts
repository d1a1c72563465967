import type { CreateKernels, KernelSource } from "@laconic/engine/kernels";
import { openTfjsMemory } from "./tfjs-memory.ts";
import { WasmKernels } from "./wasm-kernels.ts";

/** Starts TensorFlow.js's wasm backend and the fused kernels beside it; called in the engine's worker. */
export const createKernels: CreateKernels = async () => new WasmKernels(await openTfjsMemory());

/** The device that needs nothing but npm: one thread per worker, float32, SIMD. */
export function wasmKernels(): KernelSource {
  return { device: "wasm", module: import.meta.url };
}
