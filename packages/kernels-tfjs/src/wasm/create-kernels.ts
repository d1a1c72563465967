import type { CreateKernels, KernelSource } from "@laconic/kernels";
import { openBinary } from "#wasm";
import { wasmKernelSet } from "./wasm-kernels.ts";
import { WasmMemory } from "./wasm-memory.ts";

/**
 * Starts the wasm kernels, each set with a memory of its own of at most 4 GiB; called in the engine's worker.
 * In a browser the options are those of {@link wasmKernels}; in Node there are none.
 * @throws LaconicError `device_unavailable` when they do not start, `config_invalid` on an unknown option.
 */
export const createKernels: CreateKernels = async (options) =>
  wasmKernelSet(await WasmMemory.open(await openBinary(options ?? {})));

/** Where a browser finds the binary, if not where its bundler put it. Vite and webpack ship it by themselves. */
export interface WasmOptions {
  /** Address of `assets/fused.wasm` of this package. */
  readonly fused?: string;
}

/** The device that needs nothing but npm: one thread per worker, float32, SIMD. */
export function wasmKernels(options: WasmOptions = {}): KernelSource {
  const given = Object.keys(options).length > 0 && { options: { ...options } };
  return { device: "wasm", module: import.meta.url, ...given };
}
