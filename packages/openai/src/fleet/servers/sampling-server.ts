import type { SampleRequest, SamplingName } from "@laconic/core";

/** Weights of one version in a folder of the trainer, which servers also see or receive. */
export interface PublishedWeights {
  /** Derived from policy, version and content, so other weights have another name, also after a resume. */
  readonly name: string;
  readonly version: number;
  /** Path on the servers. */
  readonly folder: string;
  /** Path on the trainer. */
  readonly path: string;
  readonly kind: WeightsKind;
  /** Log-probs of a check text by the trainer's engine; they reveal servers with other weights. */
  readonly check?: WeightsCheck;
}

/** Log-probs at temperature 1 of all tokens except the first. */
export interface WeightsCheck {
  readonly tokens: readonly number[];
  readonly logProbs: readonly number[];
}

/** Mean |server - trainer| log-prob of the check text; NaN if the server gave none. */
export function checkGap(check: WeightsCheck, values: readonly number[] | "missing"): number {
  if (values === "missing" || check.logProbs.length === 0) return Number.NaN;
  const gaps = check.logProbs.map((value, i) => Math.abs(value - (values[i] ?? Number.NaN)));
  return gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
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
  /** The prompt as the server read it, or only its length. */
  readonly prompt: readonly number[] | number;
  readonly tokens: readonly number[];
  readonly logProbs: readonly number[];
  readonly finishReason: "stop" | "length";
  /** Weight name that the server reports; null if it reports none. */
  readonly weights: string | null;
}

/** Facts that a server reports. */
export interface ServerFacts {
  /** Software version. */
  readonly version: string | null;
  readonly contextLength: number | null;
}

/**
 * Inference server that loads a trainer's weights. Methods throw LaconicError `api_unavailable` if another attempt or
 * server may help (detail `crowded` for 429 and 503, `retryAfterMs` if reported), `api_refused` if not,
 * `reply_malformed`, `aborted`.
 */
export interface SamplingServer {
  /** `vllm`, `sglang`, ... */
  readonly kind: string;
  readonly url: string;
  /** Max versions held at once, per kind of weights; 0 if unsupported. */
  readonly holds: Readonly<Record<WeightsKind, number>>;
  /** Supported sampling parameters. */
  readonly supports: readonly SamplingName[];
  /** Whether log-probs cover the whole distribution under truncated sampling. */
  readonly reportsUncut: boolean;
  /** What makes it report log-probs of what is sampled, where it gives those of temperature 1. */
  readonly remedyForRaw: string;
  facts(signal?: AbortSignal): Promise<ServerFacts>;
  /** Does nothing where the name is there already: a name means its content. */
  load(weights: PublishedWeights, signal?: AbortSignal): Promise<void>;
  /** Does nothing where the name is not there. */
  unload(name: string, signal?: AbortSignal): Promise<void>;
  /** Adapters that are loaded. */
  names(signal?: AbortSignal): Promise<readonly string[]>;
  /** `missing`: the server has no such weights, as after a restart. */
  generate(weights: PublishedWeights, asked: Generation, signal?: AbortSignal): Promise<GeneratedReply | "missing">;
  /** log-probs at temperature 1 of all tokens but the first, given those before. */
  promptLogProbs(
    weights: PublishedWeights,
    tokens: readonly number[],
    signal?: AbortSignal,
  ): Promise<readonly number[] | "missing">;
}
