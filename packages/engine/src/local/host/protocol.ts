import {
  LaconicError,
  type EngineCapabilities,
  type ErrorDetail,
  type LaconicErrorCode,
  type BaseSource,
  type LogProbsAtOne,
  type ModelSource,
} from "@laconic/core";
import type { KernelPlace, KernelSource } from "../../kernels/index.ts";
import type { HostedModel } from "../hosted-model/hosted-model.ts";
import type { GradientExchange } from "../replicas/gradient-exchange.ts";
import type { ModelLimits } from "@laconic/core/backends";
import type { GenerationLimits } from "../../generation/generation-limits.ts";
import type { Recompute } from "../../transformer/train-pass.ts";

/** What an engine on another thread is started with. */
export interface HostSetup extends HostSettings {
  readonly device: KernelSource;
  readonly place: KernelPlace;
}

export type HostCapabilities = Pick<
  EngineCapabilities,
  "device" | "backend" | "dtype" | "deterministic" | "batchInvariant"
>;

/** Methods of {@link HostedModel} that the calling side uses. */
export type ModelMethod =
  | "forward"
  | "forwardForGradient"
  | "backward"
  | "discardGradient"
  | "exportGradient"
  | "optimStep"
  | "sample"
  | "cancel"
  | "snapshot"
  | "disposeSnapshot"
  | "save"
  | "load";

/**
 * One replica of the engine: holds kernels and models, on its own thread or in this one.
 * Plain data in, plain data out. Calls on one host run one after the other, but samples of one model together.
 */
export interface EngineHost {
  describe(): Promise<HostCapabilities>;
  create(model: number, source: HostSource): Promise<ModelFacts>;
  /** Calls a method of one of its models. Sequences and requests have been checked against the model's limits. */
  call<M extends ModelMethod>(
    model: number,
    method: M,
    ...args: Parameters<HostedModel[M]>
  ): Promise<Awaited<ReturnType<HostedModel[M]>>>;
  /** Sums this replica's share of all slots, once every replica has exported; the step comes after every share. */
  sumGradients(exchange: GradientExchange, replica: number): Promise<void>;
  disposeModel(model: number): Promise<void>;
  close(): Promise<void>;
}

/** A call on a host that another thread serves. A listener crosses as `true`; what it hears comes back as `drawn`. */
export interface HostCall {
  readonly id: number;
  readonly method: keyof EngineHost;
  readonly args: readonly unknown[];
}

/** Result of the call with this id; before it, the tokens of `sample` step by step. */
export type HostReply =
  | { readonly id: number; readonly drawn: Float64Array }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: StoredError };

/** The way to an engine on another thread. */
export interface HostPort {
  /** @param move - memory that the sender gives up */
  post(message: unknown, move: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: never) => void): void;
  /** The thread is gone, or what it sent cannot be read. */
  onFailure(listener: (error: LaconicError) => void): void;
  wait(isBusy: boolean): void;
  close(): Promise<void>;
}

/** The way back. */
export interface ServingPort extends Pick<HostPort, "post" | "onMessage"> {
  close(): void;
}

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

/** How a host trains and samples. */
export interface HostSettings {
  readonly recompute: Recompute;
  readonly sharePrefixes: boolean;
  readonly limits: Partial<GenerationLimits>;
}

/** Names a frozen copy of a model's weights; `live` is the policy being trained. */
export type WeightsId = "live" | number;

/** What the head says of M predicted tokens, sequence after sequence. */
export interface HostOutputs {
  /** log π of each; under a scalar head the value of the state that each is predicted from. */
  readonly outputs: Float64Array;
  /** Of the distributions; nothing under a scalar head. */
  readonly entropy: Float64Array;
  readonly offsets: Int32Array;
  /** Rows that were passed: tokens of the sequences, shared ones once. */
  readonly rows: number;
  /** One entry per predicted token, where they were asked for. */
  readonly atOne?: readonly LogProbsAtOne[];
}

/** What the calling side must know of a model. */
export interface ModelFacts {
  readonly parameters: number;
  /** Those that training changes. */
  readonly trainableParameters: number;
  readonly weightVersion: number;
  readonly limits: ModelLimits;
  /** Of a model with a scalar head: whether its source had one. */
  readonly hasStoredHead?: boolean;
}

/** What a host makes models of: a source of the engine's, or a scalar head over own layers, or over those of one of its models. */
export type HostSource =
  | ModelSource
  | { readonly kind: "scalar"; readonly layers: BaseSource; readonly trainsHeadAlone: boolean }
  | { readonly kind: "scalar-on"; readonly model: number };
