import { LaconicError, type ErrorDetail, type LaconicErrorCode } from "@laconic/core";
import type { GenerationLimits } from "../../generation/generation-limits.ts";
import type { KernelPlace, KernelSource } from "../../kernels/index.ts";
import type { Recompute } from "../../transformer/train-pass.ts";
import type { EngineHost } from "./engine-host.ts";

/** How a host trains and samples. */
export interface HostSettings {
  readonly recompute: Recompute;
  /** Training passes and log-probs go over what sequences share once. */
  readonly sharePrefixes: boolean;
  readonly limits: Partial<GenerationLimits>;
}

/** What an engine on another thread is started with. */
export interface HostSetup extends HostSettings {
  readonly device: KernelSource;
  readonly place: KernelPlace;
}

/** The same for a thread of Node's. */
export interface WorkerSetup extends HostSetup {
  /** URL of the module with the worker's code: TypeScript in the repository, JavaScript in a package. */
  readonly entry: string;
}

export type HostMethod = keyof EngineHost;

/** A call on the worker's host. A function does not cross threads: `sample` sends whether anybody listens. */
export type HostCall = {
  readonly [M in HostMethod]: { readonly id: number; readonly method: M; readonly args: Parameters<EngineHost[M]> };
}[HostMethod];

/** What the call with this id came to: one of the host's results; before it, the tokens of `sample` step by step. */
export type HostReply =
  | { readonly id: number; readonly drawn: Float64Array }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: StoredError };

/** Memory of the float64 arrays in a message: it moves to the other thread instead of being copied, and its sender gives it up. */
export function movedBuffers(values: Iterable<unknown>): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const value of values)
    if (value instanceof Float64Array && value.buffer instanceof ArrayBuffer) buffers.add(value.buffer);
  return [...buffers];
}

/** An error as it crosses the thread boundary. */
export interface StoredError {
  readonly code: LaconicErrorCode | null;
  readonly message: string;
  readonly detail: ErrorDetail;
  readonly stack: string;
}

export function storeError(error: unknown): StoredError {
  if (LaconicError.is(error))
    return { code: error.code, message: error.message, detail: error.detail, stack: error.stack ?? "" };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { code: null, message, detail: {}, stack: stack ?? "" };
}

/** Anything but a LaconicError becomes `engine_failed` with the original stack as its cause. */
export function reviveError(stored: StoredError): LaconicError {
  return new LaconicError(stored.code ?? "engine_failed", stored.message, stored.detail, new Error(stored.stack));
}
