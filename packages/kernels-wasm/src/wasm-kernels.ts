import type { Kernels } from "@laconic/kernels";
import { attentionKernels } from "./attention.ts";
import { elementwiseKernels } from "./elementwise.ts";
import { headKernels } from "./head.ts";
import { cacheKernels } from "./key-value-cache.ts";
import { lifetimeKernels } from "./lifetime.ts";
import { linearKernels } from "./linear.ts";
import { optimizerKernels } from "./optimizer.ts";
import { pieceKernels } from "./pieces.ts";
import { rowWriteKernels } from "./row-writes.ts";
import { rowKernels } from "./rows.ts";
import { samplingKernels } from "./sampling.ts";
import { WasmDevice } from "./wasm-device.ts";
import type { WasmMemory } from "./wasm-memory.ts";

/** Positions of a page of the key-value cache. */
export const wasmPageSize = 32;

/** The kernel set on wasm, one thread: SIMD functions over a memory of their own. `fma` says which form of them that memory has. */
export function wasmKernelSet(memory: WasmMemory, fma = false): Kernels {
  const device = new WasmDevice(memory);
  return {
    device: fma ? "wasm-fma" : "wasm",
    backend: fma ? "wasm relaxed simd" : "wasm simd",
    dtype: "float32",
    deterministic: true,
    batchInvariant: true,
    cachePageSize: wasmPageSize,
    memory: () => null,
    liveTensors: () => device.store.count,
    dispose: () => device.store.dispose(),
    ...lifetimeKernels(device),
    ...pieceKernels(device),
    ...elementwiseKernels(device),
    ...rowKernels(device),
    ...rowWriteKernels(device),
    ...linearKernels(device),
    ...attentionKernels(device),
    ...cacheKernels(device),
    ...headKernels(device),
    ...samplingKernels(device),
    ...optimizerKernels(device),
  };
}
