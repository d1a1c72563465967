import { LaconicError, type EngineCapabilities, type ErrorDetail, type LaconicErrorCode } from "@laconic/core";
import type { DeviceMemory, KernelPlace, KernelSource } from "../../kernels/index.ts";
import type { HostedModel } from "../hosted-model/hosted-model.ts";
import type { HostSettings, HostSource, ModelFacts } from "../hosted-model/model-types.ts";
import type { GradientExchange } from "../replicas/gradient-exchange.ts";

export interface HostSetup extends HostSettings {
  readonly device: KernelSource;
  readonly place: KernelPlace;
}

export type HostCapabilities = Pick<
  EngineCapabilities,
  "device" | "backend" | "dtype" | "deterministic" | "batchInvariant"
>;

export type ModelMethod = Exclude<
  keyof HostedModel,
  "live" | "facts" | "weightVersion" | "weights" | "releaseKept" | "dispose"
>;

/** Replica of the engine. Calls run one after the other, except `cancel`, `memory` and `sample` calls of one model. */
export interface EngineHost {
  describe(): Promise<HostCapabilities>;
  create(model: number, source: HostSource): Promise<ModelFacts>;
  /** Arguments must be checked before. */
  call<M extends ModelMethod>(
    model: number,
    method: M,
    ...args: Parameters<HostedModel[M]>
  ): Promise<Awaited<ReturnType<HostedModel[M]>>>;
  /** Sums this replica's share of all slots before the step. */
  sumGradients(exchange: GradientExchange, replica: number): Promise<void>;
  disposeModel(model: number): Promise<void>;
  memory(): Promise<DeviceMemory | null>;
  close(): Promise<void>;
}

/** A listener is sent as `true`; its events return as `drawn`. */
export interface HostCall {
  readonly id: number;
  readonly method: keyof EngineHost;
  readonly args: readonly unknown[];
}

export type HostReply =
  | { readonly id: number; readonly drawn: Float64Array }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: StoredError };

export interface HostPort {
  /** @param move - memory to transfer */
  post(message: unknown, move: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: never) => void): void;
  /** The thread has ended or sent an unreadable message. */
  onFailure(listener: (error: LaconicError) => void): void;
  wait(isBusy: boolean): void;
  close(): Promise<void>;
}

export interface ServingPort extends Pick<HostPort, "post" | "onMessage"> {
  close(): void;
}

export function movedBuffers(values: Iterable<unknown>): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const value of values)
    if (value instanceof Float64Array && value.buffer instanceof ArrayBuffer) buffers.add(value.buffer);
  return [...buffers];
}

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

/** Unknown errors become `engine_failed`. */
export function reviveError(stored: StoredError): LaconicError {
  return new LaconicError(stored.code ?? "engine_failed", stored.message, stored.detail, new Error(stored.stack));
}
