import type { SampleRequest, SamplingName } from "@laconic/core";

/** Weights of one version, in a folder that servers see or receive. */
export interface PublishedWeights {
  /** Derived from policy, version and content, so other weights have another name, also after a resume. */
  readonly name: string;
  readonly version: number;
  /** Path on the servers. */
  readonly folder: string;
  /** Path on the trainer. */
  readonly path: string;
  readonly kind: WeightsKind;
  readonly check?: WeightsCheck;
}

/** Log-probs at temperature 1 of all tokens except the first. */
export interface WeightsCheck {
  readonly tokens: readonly number[];
  readonly logProbs: readonly number[];
}

/** Mean |server - trainer| log-prob; NaN without one. */
export function checkGap(check: WeightsCheck, values: readonly number[] | "missing"): number {
  if (values === "missing" || check.logProbs.length === 0) return NaN;
  const gaps = check.logProbs.map((value, i) => Math.abs(value - (values[i] ?? NaN)));
  return gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
}

/** Equal requests that reveal replicas behind one address: all meet the same of two in 1 of 128 probes. */
export const replicaRequests = 8;

export function severalServers(reached: number): string {
  return `only ${reached} of ${replicaRequests} equal requests used the weights just loaded: several servers share this address; list the address of each`;
}

/** A low-rank adapter on the servers' base model, or full weights. */
export type WeightsKind = "adapter" | "all";

/** Request for one reply. */
export interface Generation {
  readonly promptTokens: readonly number[];
  readonly sampling: SampleRequest["sampling"];
  readonly stopTokens: readonly number[];
  readonly stopTexts: readonly string[];
  readonly seed: number;
}

/** Unchecked reply of a server. */
export interface GeneratedReply {
  /** Prompt as the server read it, or its length. */
  readonly prompt: readonly number[] | number;
  readonly tokens: readonly number[];
  readonly logProbs: readonly number[];
  readonly finishReason: "stop" | "length";
  /** Weight name that the server reports; null if it reports none. */
  readonly weights: string | null;
}

/** Facts that a server reports. */
export interface ServerFacts {
  readonly version: string | null;
  readonly contextLength: number | null;
}

/**
 * Inference server that loads a trainer's weights. Methods throw LaconicError `api_unavailable` if another attempt or
 * server may help (detail `crowded` for 429 and 503, `retryAfterMs` if reported), `api_refused` if not,
 * `reply_malformed`, `aborted`.
 */
export interface SamplingServer {
  readonly kind: string;
  readonly url: string;
  /** Versions held at once; 0 if unsupported. */
  readonly holds: Readonly<Record<WeightsKind, number>>;
  readonly supports: readonly SamplingName[];
  /** Log-probs cover the whole distribution under truncated sampling. */
  readonly reportsUncut: boolean;
  /** Option that makes it report log-probs of the sampled distribution. */
  readonly remedyForRaw: string;
  facts(signal?: AbortSignal): Promise<ServerFacts>;
  /** Does nothing for a loaded name: a name means its content. */
  load(weights: PublishedWeights, signal?: AbortSignal): Promise<void>;
  /** Does nothing for a missing name. */
  unload(name: string, signal?: AbortSignal): Promise<void>;
  names(signal?: AbortSignal): Promise<readonly string[]>;
  /** `missing`: the server has no such weights, as after a restart. */
  generate(weights: PublishedWeights, asked: Generation, signal?: AbortSignal): Promise<GeneratedReply | "missing">;
  /** Temperature 1; all tokens but the first. */
  promptLogProbs(
    weights: PublishedWeights,
    tokens: readonly number[],
    signal?: AbortSignal,
  ): Promise<readonly number[] | "missing">;
  /** Frees device memory until `wake`: weights move to the host, pages are dropped. Absent if unsupported. */
  sleep?(signal?: AbortSignal): Promise<void>;
  /** Does nothing while awake. */
  wake?(signal?: AbortSignal): Promise<void>;
}
