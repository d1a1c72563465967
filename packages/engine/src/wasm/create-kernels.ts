import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelPlace, KernelSource } from "../kernels/index.ts";
import { openBinary, processors, startHelper } from "#wasm";
import { maxThreads } from "../../assets/parts.mjs";
import { ThreadPool } from "./thread-pool.ts";
import { wasmKernelSet } from "./wasm-kernels.ts";
import { WasmMemory } from "./wasm-memory.ts";

/** More were not measured. */
const maxOwnThreads = 8;

/**
 * Starts the wasm kernels, each set with a memory of its own of at most 4 GiB; called in the engine's worker, which says how many sets
 * share the processors. Called without, a set has one thread.
 * The options are those of {@link wasmKernels}; Node knows no `fused`.
 * @throws LaconicError `device_unavailable` when they do not start, `config_invalid` on an unknown option.
 */
export const createKernels: CreateKernels = async (options, place) => {
  const { fma = false, threads, ...others } = options ?? {};
  if (typeof fma !== "boolean")
    throw new LaconicError("config_invalid", `fma of the wasm kernels is true or false, got ${fma}`, { key: "fma" });
  const count = threadCount(threads, processors(), place);
  const memory = await WasmMemory.open(await openBinary(fma, others), { fma, shared: count > 1 });
  return wasmKernelSet(memory, new ThreadPool(memory, { threads: count, start: startHelper }), fma);
};

/** How many threads compute. @param available - at once on this machine; 0 where threads cannot share memory @throws LaconicError `config_invalid` */
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

/** How the wasm kernels compute, and where a browser finds them. */
export interface WasmOptions {
  /**
   * Products round once for each multiplication and addition where the processor can: faster, and the bits are those of the
   * machine. Without it they are the same on every machine. Needs relaxed SIMD: Node 22, Chromium 114; `hasRelaxedSimd` tells.
   */
  readonly fma?: boolean;
  /**
   * Threads that share the work of a kernel, the worker's own among them, 1 to 64: the bits do not depend on it. By default the
   * processors of the machine divided by the engine's workers, at most 8. A page has one unless it is isolated (COOP and COEP).
   */
  readonly threads?: number;
  /** Where a browser finds `assets/fused.wasm` of this package, or `fused-fma.wasm`, if not where its bundler put it; Vite and webpack ship them. */
  readonly fused?: string;
}

/** The device that needs nothing but npm: float32, SIMD, all processors. */
export function wasmKernels(options: WasmOptions = {}): KernelSource {
  const given = Object.keys(options).length > 0 && { options: { ...options } };
  return { device: options.fma === true ? "wasm-fma" : "wasm", module: import.meta.url, ...given };
}
