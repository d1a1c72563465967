import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelSource } from "@laconic/kernels";
import { claiming } from "../claim-backend.ts";
import { openTfjsMemory } from "./tfjs-memory.ts";
import { wasmKernelSet } from "./wasm-kernels.ts";

/**
 * Starts TensorFlow.js's wasm backend and the fused kernels beside it; called in the engine's worker.
 * Kernel sets in one thread share the backend's memory, which holds at most 4 GiB.
 * @throws LaconicError `device_unavailable` when the backend does not start, `config_invalid` on any option: there are none.
 */
export const createKernels: CreateKernels = async (options) => {
  const [unknown] = Object.keys(options ?? {});
  if (unknown !== undefined)
    throw new LaconicError("config_invalid", `the wasm kernels take no options, got "${unknown}"`, { key: unknown });
  return claiming("wasm", async (release) => {
    const kernels = wasmKernelSet(await openTfjsMemory());
    return {
      ...kernels,
      dispose: () => {
        kernels.dispose();
        release();
      },
    };
  });
};

/** The device that needs nothing but npm: one thread per worker, float32, SIMD. */
export function wasmKernels(): KernelSource {
  return { device: "wasm", module: import.meta.url };
}
