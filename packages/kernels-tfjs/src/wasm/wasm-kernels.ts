import type { Kernels } from "@laconic/kernels";
import { version_core } from "@tensorflow/tfjs-core";
import { attentionKernels } from "./attention.ts";
import { elementwiseKernels } from "./elementwise.ts";
import { headKernels } from "./head.ts";
import { cacheKernels } from "./key-value-cache.ts";
import { lifetimeKernels } from "./lifetime.ts";
import { linearKernels } from "./linear.ts";
import { optimizerKernels } from "./optimizer.ts";
import { pieceKernels } from "./pieces.ts";
import { rowKernels } from "./rows.ts";
import { samplingKernels } from "./sampling.ts";
import type { TfjsMemory } from "./tfjs-memory.ts";
import { WasmDevice } from "./wasm-device.ts";

/**
 * The kernel set on wasm, one thread. Products with a weight run in TensorFlow.js (XNNPACK); everything else in fused
 * SIMD functions over the same memory.
 */
export function wasmKernelSet(memory: TfjsMemory): Kernels {
  const device = new WasmDevice(memory);
  const linear = linearKernels(device);
  const elementwise = elementwiseKernels(device);
  return {
    device: "wasm",
    backend: `tfjs-wasm ${version_core}`,
    dtype: "float32",
    deterministic: true,
    batchInvariant: true,
    cachePageSize: 32,
    memory: () => null,
    liveTensors: () => device.store.count,
    dispose: () => device.store.dispose(),
    ...lifetimeKernels(device),
    ...pieceKernels(device),
    ...elementwise,
    ...rowKernels(device),
    ...linear,
    ...attentionKernels(device),
    ...cacheKernels(device),
    ...headKernels(device, { ...linear, ...elementwise }),
    ...samplingKernels(device),
    ...optimizerKernels(device),
  };
}
