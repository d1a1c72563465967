/// <reference path="./webassembly.d.ts" />
import { checkedKernels } from "../kernels/index.ts";
import type { Kernels, Tensor, CreateKernels, KernelPlace, KernelSource } from "../kernels/index.ts";
import { attentionKernels } from "./attention.ts";
import { elementwiseKernels, optimizerKernels } from "./elementwise.ts";
import { headKernels, linearKernels } from "./linear.ts";
import { cacheKernels } from "./key-value-cache.ts";
import { pieceKernels, rowWriteKernels, rowKernels } from "./rows.ts";
import { samplingKernels } from "./sampling.ts";
import { WasmDevice } from "./wasm-device.ts";
import { configError } from "@laconic/core";
import { openBinary, processors, startHelper } from "#wasm";
import { maxThreads } from "../../assets/parts.mjs";
import { ThreadPool } from "./thread-pool.ts";
import { WasmMemory } from "./wasm-memory.ts";

/** Positions per page of the key-value cache. */
export const wasmPageSize = 32;

export function wasmKernelSet(memory: WasmMemory, pool: ThreadPool, fma = false): Kernels {
  const device = new WasmDevice(memory, pool);
  return checkedKernels((...args) => device.expectIndices(...args), {
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
    read: async (tensor: Tensor) =>
      tensor.dtype === "int32" ? store.ints(tensor).slice() : store.floats(tensor).slice(),
    zeros: (shape) => store.zeros(shape),
    copy: (tensor) => {
      const out = store.allocate(tensor.shape, tensor.dtype);
      store.bytes(out).set(store.bytes(tensor));
      return out;
    },
  };
}

/** Larger numbers are untested. */
const maxOwnThreads = 8;

/**
 * Opens the wasm kernels with at most 4 GiB, without `place` on one thread. Options are those of {@link wasmKernels},
 * without `fused` in Node.
 * @throws LaconicError `device_unavailable`, `config_invalid`
 */
export const createKernels: CreateKernels = async (options, kernelPlace) => {
  const { fma = false, threads, ...others } = options ?? {};
  if (typeof fma !== "boolean")
    throw configError(`wasm kernels, fma: expected true or false, got ${fma}`, { key: "fma" });
  const count = threadCount(threads, processors(), kernelPlace);
  const memory = await WasmMemory.open(await openBinary(fma, others), { fma, shared: count > 1 });
  return wasmKernelSet(memory, new ThreadPool(memory, { threads: count, start: startHelper }), fma);
};

/** @param available - 0 without shared memory @throws LaconicError `config_invalid` */
export function threadCount(
  threads: string | number | boolean | undefined,
  available: number,
  kernelPlace: KernelPlace = { sharing: Infinity },
): number {
  if (threads === undefined) return Math.min(maxOwnThreads, Math.max(1, Math.floor(available / kernelPlace.sharing)));
  if (Number.isInteger(threads) && (threads as number) >= 1 && (threads as number) <= maxThreads)
    return available > 0 ? (threads as number) : 1;
  const message = `wasm kernels, threads: expected an integer from 1 to ${maxThreads}, got ${threads}`;
  throw configError(message, { key: "threads" });
}

/** Options of the wasm kernels. */
export interface WasmOptions {
  /** Fused multiply-add: faster, but results depend on the machine. Requires relaxed SIMD (Node 22, Chromium 114). */
  readonly fma?: boolean;
  /**
   * 1 to 64; results do not depend on it. Default: processors divided by workers, at most 8; 1 in pages without
   * isolation (COOP and COEP).
   */
  readonly threads?: number;
  /** Browser URL of `assets/fused.wasm` or `fused-fma.wasm`. Default: the bundler's. */
  readonly fused?: string;
}

/** float32 and SIMD, without installation. */
export function wasmKernels(options: WasmOptions = {}): KernelSource {
  const input = Object.keys(options).length > 0 && { options: { ...options } };
  return { device: options.fma === true ? "wasm-fma" : "wasm", module: import.meta.url, ...input };
}
