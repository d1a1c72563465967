import { checkedKernels, type Kernels, type Tensor } from "../kernels/index.ts";
import { attentionKernels } from "./attention.ts";
import { elementwiseKernels } from "./elementwise.ts";
import { headKernels, linearKernels } from "./linear.ts";
import { cacheKernels } from "./key-value-cache.ts";
import { optimizerKernels } from "./optimizer.ts";
import { pieceKernels, rowWriteKernels, rowKernels } from "./rows.ts";
import { samplingKernels } from "./sampling.ts";
import type { ThreadPool } from "./thread-pool.ts";
import { WasmDevice } from "./wasm-device.ts";
import type { WasmMemory } from "./wasm-memory.ts";

/** Positions per page of the key-value cache. */
export const wasmPageSize = 32;

/** `fma` names the memory's variant of the functions. */
export function wasmKernelSet(memory: WasmMemory, pool: ThreadPool, fma = false): Kernels {
  const device = new WasmDevice(memory, pool);
  return checkedKernels({
    device: fma ? "wasm-fma" : "wasm",
    backend: fma ? "wasm relaxed simd" : "wasm simd",
    dtype: "float32",
    deterministic: true,
    batchInvariant: true,
    cachePageSize: wasmPageSize,
    memory: () => null,
    liveTensors: () => device.store.count,
    dispose: () => {
      device.store.dispose();
      pool.dispose();
    },
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
  });
}

type Lifetime = "scope" | "keep" | "free" | "upload" | "read" | "zeros" | "copy";

function lifetimeKernels({ store }: WasmDevice): Pick<Kernels, Lifetime> {
  return {
    ...store.kernels(),
    upload: (values, shape) => store.upload(values, shape),
    read: async (tensor: Tensor) => {
      const { buffer } = store.bytes(tensor).slice();
      return tensor.dtype === "int32" ? new Int32Array(buffer) : new Float32Array(buffer);
    },
    zeros: (shape) => store.zeros(shape),
    copy: (tensor) => {
      const out = store.allocate(tensor.shape, tensor.dtype);
      store.bytes(out).set(store.bytes(tensor));
      return out;
    },
  };
}
