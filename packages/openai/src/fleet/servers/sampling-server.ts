import type { SampleRequest, SamplingName } from "@laconic/core";

/** Weights of one version as they lie in a folder of the trainer, which servers see too, or are sent. */
export interface PublishedWeights {
  /** Of policy, version and content: other weights have another name, also after a resume. */
  readonly name: string;
  readonly version: number;
  /** As the servers see it. */
  readonly folder: string;
  /** The same folder as the trainer sees it. */
  readonly path: string;
  readonly kind: WeightsKind;
  /** What the trainer's engine makes of a text under these weights: a server that holds others shows by it. */
  readonly check?: WeightsCheck;
}

/** log-probs at temperature 1 of all tokens but the first, given those before. */
export interface WeightsCheck {
  readonly tokens: readonly number[];
  readonly logProbs: readonly number[];
}

/** Mean |server's - trainer's| log-prob of the check's text; NaN where the server gave none. */
export function checkGap(check: WeightsCheck, found: readonly number[] | "missing"): number {
  if (found === "missing" || check.logProbs.length === 0) return Number.NaN;
  const gaps = check.logProbs.map((value, i) => Math.abs(value - (found[i] ?? Number.NaN)));
  return gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
}

/** A low-rank adapter on the servers' base model, or all weights in its place. */
export type WeightsKind = "adapter" | "all";

/** One reply to be generated. */
export interface Generation {
  readonly promptTokens: readonly number[];
  readonly sampling: SampleRequest["sampling"];
  readonly stopTokens: readonly number[];
  readonly stopTexts: readonly string[];
  readonly seed: number;
}

/** A reply as a server gave it: nothing of it is checked yet. */
export interface GeneratedReply {
  /** The prompt as the server read it, or its length where the server says no more. */
  readonly prompt: readonly number[] | number;
  readonly tokens: readonly number[];
  readonly logProbs: readonly number[];
  readonly finishReason: "stop" | "length";
  /** Name of the weights that the server says it used; null where it says nothing. */
  readonly weights: string | null;
}

/** What a server says of itself. */
export interface ServerFacts {
  /** Of its software. */
  readonly version: string | null;
  readonly contextLength: number | null;
}

/**
 * An inference server that takes a trainer's weights: what it is asked, and how. Methods throw LaconicError `api_unavailable`
 * where another try or another server may help (detail `crowded` for 429 and 503, `retryAfterMs` where it says so),
 * `api_refused` where none does, `reply_malformed`, `aborted`.
 */
export interface SamplingServer {
  /** `vllm`, `sglang`, ... */
  readonly kind: string;
  readonly url: string;
  /** Versions that it holds side by side of each kind of weights; 0 for what it cannot take. */
  readonly holds: Readonly<Record<WeightsKind, number>>;
  /** Parameters of sampling that it takes. */
  readonly supports: readonly SamplingName[];
  /** Its log-probs are of the whole distribution where a parameter of sampling cuts it. */
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
