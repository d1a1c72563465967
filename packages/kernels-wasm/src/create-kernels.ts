import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelSource } from "@laconic/kernels";
import { openBinary } from "#wasm";
import { wasmKernelSet } from "./wasm-kernels.ts";
import { WasmMemory } from "./wasm-memory.ts";

/**
 * Starts the wasm kernels, each set with a memory of its own of at most 4 GiB; called in the engine's worker.
 * The options are those of {@link wasmKernels}; Node knows no `fused`.
 * @throws LaconicError `device_unavailable` when they do not start, `config_invalid` on an unknown option.
 */
export const createKernels: CreateKernels = async (options) => {
  const { fma = false, ...others } = options ?? {};
  if (typeof fma !== "boolean")
    throw new LaconicError("config_invalid", `fma of the wasm kernels is true or false, got ${fma}`, { key: "fma" });
  return wasmKernelSet(await WasmMemory.open(await openBinary(fma, others), fma), fma);
};

/** How the wasm kernels compute, and where a browser finds them. */
export interface WasmOptions {
  /**
   * Products round once for each multiplication and addition where the processor can: faster, and the bits are those of the
   * machine. Without it they are the same on every machine. Needs relaxed SIMD: Node 22, Chromium 114; `hasRelaxedSimd` tells.
   */
  readonly fma?: boolean;
  /** Where a browser finds `assets/fused.wasm` of this package, or `fused-fma.wasm`, if not where its bundler put it; Vite and webpack ship them. */
  readonly fused?: string;
}

/** The device that needs nothing but npm: one thread per worker, float32, SIMD. */
export function wasmKernels(options: WasmOptions = {}): KernelSource {
  const given = Object.keys(options).length > 0 && { options: { ...options } };
  return { device: options.fma === true ? "wasm-fma" : "wasm", module: import.meta.url, ...given };
}
