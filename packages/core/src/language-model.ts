import type { RandomState } from "./numeric/random.ts";
import type { Sampling, SamplingName } from "./sampling.ts";
import type { TokenUsage } from "./ledger/token-usage.ts";

/** A chat message. `tool` is the answer of a tool, for templates that know the role. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
}

/** A chat, a text for a base model, or token ids that may not be tokenised again. */
export type Prompt =
  | { readonly kind: "messages"; readonly messages: readonly ChatMessage[] }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tokens"; readonly tokens: readonly number[] };

/** Sampling of a reply, and its limits. */
export interface SamplingSettings extends Sampling {
  /** Most tokens written, the end token included. */
  readonly maxTokens: number;
  /** Texts that end the reply and are not part of `Completion.text`; usage and trace include the token that completes one. */
  readonly stop?: readonly string[];
}

/** A prompt, sampling settings and a random stream. */
export interface CompletionRequest {
  readonly prompt: Prompt;
  readonly sampling: SamplingSettings;
  /** Random stream of the request: a local policy draws from it, an API model gets a seed derived from it. */
  readonly random: RandomState;
  readonly signal?: AbortSignal;
  /** Called with each drawn token of a local policy; other models ignore it. */
  readonly onToken?: (drawn: DrawnToken) => void;
  /** Asks a local policy for log-probs at temperature 1 and this many likeliest tokens per position. */
  readonly topLogProbs?: number;
  /** Asks for `Completion.promptLogProbs` instead of a reply; models without them leave them out. */
  readonly scorePrompt?: boolean;
  /** Requests of one conversation may reuse cached prefixes. */
  readonly conversation?: string;
  /** Earlier replies of the speaker, in order: a local policy reads their exact tokens where the chat repeats them. */
  readonly ownReplies?: readonly OwnReply[];
}

/** An earlier reply, as text and as sampled tokens. */
export interface OwnReply {
  readonly text: string;
  readonly tokens: readonly number[];
}

/** Exact tokens of a local policy's reply, for training. */
export interface TokenTrace {
  readonly promptTokens: readonly number[];
  /** Sampled tokens, the end token or the one that completed a stop text included. */
  readonly tokens: readonly number[];
  /** log π of each sampled token at the sampling temperature (at 1 for greedy), before truncation by top-p, top-k or min-p. */
  readonly logProbs: readonly number[];
  /** On request, one entry per token. */
  readonly atOne?: readonly LogProbsAtOne[];
}

/** Log-probs at temperature 1. */
export interface LogProbsAtOne {
  /** Of the drawn token. */
  readonly logProb: number;
  /** The likeliest tokens, in descending order. */
  readonly top: readonly { readonly token: number; readonly logProb: number }[];
}

/** A drawn token and its log-probs. */
export interface DrawnToken {
  readonly token: number;
  readonly logProb: number;
  readonly atOne?: LogProbsAtOne;
}

/** A model's reply; a local model also gives `trace`. */
export interface Completion {
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
  readonly model: ModelIdentity;
  readonly trace?: TokenTrace;
  /** Log-probs of the prompt's tokens at temperature 1, on request; null for the first token. */
  readonly promptLogProbs?: readonly (number | null)[];
}

/** Weights that wrote a reply. */
export interface ModelIdentity {
  readonly id: string;
  /** Optimiser steps behind these weights; 0 for a frozen model. */
  readonly weightVersion: number;
}

/** @throws LaconicError `aborted` when the request's signal fires */
export interface LanguageModel {
  readonly id: string;
  /** Supported sampling parameters; others are rejected by name. Absent if unknown. */
  readonly supports?: readonly SamplingName[];
  complete(request: CompletionRequest): Promise<Completion>;
}

/** Why a model stopped: end of turn, a limit, a refusal by it or a filter, or unknown. `unknown` replies may lack their end. */
export const finishReasons = ["stop", "length", "refusal", "unknown"] as const;

/** One of `finishReasons`. */
export type FinishReason = (typeof finishReasons)[number];

const cutShort: Readonly<Record<FinishReason, boolean>> = { stop: false, length: true, refusal: false, unknown: true };

/** Whether a reply may lack its end. */
export function isCutShort(reason: FinishReason): boolean {
  return cutShort[reason];
}
