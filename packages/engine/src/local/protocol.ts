import { LaconicError, type ErrorDetail, type LaconicErrorCode } from "@laconic/core";
import type { KernelSource } from "../kernels/index.ts";
import type { Recompute } from "../transformer/train-pass.ts";

/** What a worker is started with. */
export interface WorkerSetup {
  /** URL of the module with the worker's code: TypeScript in the repository, JavaScript in a package. */
  readonly entry: string;
  readonly device: KernelSource;
  readonly recompute: Recompute;
}

/** A call on the worker's host, by method name. */
export interface HostCall {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export type HostReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: StoredError };

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
