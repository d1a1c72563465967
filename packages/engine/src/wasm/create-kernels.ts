import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelPlace, KernelSource } from "../kernels/index.ts";
import { openBinary, processors, startHelper } from "#wasm";
import { maxThreads } from "../../assets/parts.mjs";
import { ThreadPool } from "./thread-pool.ts";
import { wasmKernelSet } from "./wasm-kernels.ts";
import { WasmMemory } from "./wasm-memory.ts";

/** Larger numbers are untested. */
const maxOwnThreads = 8;

/**
 * Opens the wasm kernels with a memory of at most 4 GiB. Without `place`, the set has one thread. Options are those of
 * {@link wasmKernels}, without `fused` in Node.
 * @throws LaconicError `device_unavailable` if they do not start, `config_invalid` for an unknown option.
 */
export const createKernels: CreateKernels = async (options, place) => {
  const { fma = false, threads, ...others } = options ?? {};
  if (typeof fma !== "boolean")
    throw new LaconicError("config_invalid", `fma of the wasm kernels is true or false, got ${fma}`, { key: "fma" });
  const count = threadCount(threads, processors(), place);
  const memory = await WasmMemory.open(await openBinary(fma, others), { fma, shared: count > 1 });
  return wasmKernelSet(memory, new ThreadPool(memory, { threads: count, start: startHelper }), fma);
};

/** @param available - usable threads; 0 without shared memory @throws LaconicError `config_invalid` */
export function threadCount(
  threads: string | number | boolean | undefined,
  available: number,
  place: KernelPlace = { sharing: Infinity },
): number {
  if (threads === undefined) return Math.min(maxOwnThreads, Math.max(1, Math.floor(available / place.sharing)));
  if (Number.isInteger(threads) && (threads as number) >= 1 && (threads as number) <= maxThreads)
    return available > 0 ? (threads as number) : 1;
  const message = `threads of the wasm kernels is a whole number from 1 to ${maxThreads}, got ${threads}`;
  throw new LaconicError("config_invalid", message, { key: "threads" });
}

/** Options of the wasm kernels. */
export interface WasmOptions {
  /**
   * Uses fused multiply-add: faster, but results depend on the machine. Requires relaxed SIMD (Node 22, Chromium 114);
   * see `hasRelaxedSimd`.
   */
  readonly fma?: boolean;
  /**
   * Threads per kernel set, 1 to 64; results do not depend on it. Default: processors divided by workers, at most 8; 1
   * in pages without isolation (COOP and COEP).
   */
  readonly threads?: number;
  /** Browser URL of `assets/fused.wasm` or `fused-fma.wasm`. Default: from the bundler. */
  readonly fused?: string;
}

/** float32, SIMD, all processors; no installation. */
export function wasmKernels(options: WasmOptions = {}): KernelSource {
  const given = Object.keys(options).length > 0 && { options: { ...options } };
  return { device: options.fma === true ? "wasm-fma" : "wasm", module: import.meta.url, ...given };
}
