import type { CreateKernels, KernelSource } from "@laconic/kernels";
import { openBinaries } from "#wasm";
import { claiming } from "../claim-backend.ts";
import { openTfjsMemory } from "./tfjs-memory.ts";
import { wasmKernelSet } from "./wasm-kernels.ts";

/**
 * Starts TensorFlow.js's wasm backend and the fused kernels beside it; called in the engine's worker.
 * Kernel sets in one thread share the backend's memory, which holds at most 4 GiB.
 * In a browser the options are those of {@link wasmKernels}; in Node there are none.
 * @throws LaconicError `device_unavailable` when the backend does not start, `config_invalid` on an unknown option.
 */
export const createKernels: CreateKernels = async (options) => {
  const fused = await openBinaries(options ?? {});
  return claiming("wasm", async (release) => {
    const kernels = wasmKernelSet(await openTfjsMemory(fused));
    return {
      ...kernels,
      dispose: () => {
        kernels.dispose();
        release();
      },
    };
  });
};

/** Where a browser finds the two binaries, if not where its bundler put them. Vite and webpack ship them by themselves. */
export interface WasmOptions {
  /** Address of `assets/fused.wasm` of this package. */
  readonly fused?: string;
  /** Address of `tfjs-backend-wasm-simd.wasm` of TensorFlow.js. */
  readonly binary?: string;
}

/** The device that needs nothing but npm: one thread per worker, float32, SIMD. */
export function wasmKernels(options: WasmOptions = {}): KernelSource {
  const given = Object.keys(options).length > 0 && { options: { ...options } };
  return { device: "wasm", module: import.meta.url, ...given };
}
