import type { RandomState } from "./numeric/random.ts";
import type { Sampling, SamplingName } from "./sampling.ts";
import type { TokenUsage } from "./ledger/token-usage.ts";

/** Chat message. `tool` is a tool's result, for templates that know the role. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
}

/** Chat, text for a base model, or token ids that must not be tokenised again. */
export type Prompt =
  | { readonly kind: "messages"; readonly messages: readonly ChatMessage[] }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tokens"; readonly tokens: readonly number[] };

/** Sampling parameters and limits of a reply. */
export interface SamplingSettings extends Sampling {
  /** Max reply length in tokens, including the end token. */
  readonly maxTokens: number;
  /** Texts that end the reply, excluded from `Completion.text`. Usage and trace include the completing token. */
  readonly stop?: readonly string[];
}

/** Prompt with sampling settings and a random stream. */
export interface CompletionRequest {
  readonly prompt: Prompt;
  readonly sampling: SamplingSettings;
  /** Random stream: local policies draw from it; API models get a seed derived from it. */
  readonly random: RandomState;
  readonly signal?: AbortSignal;
  /** Called with each drawn token of a local policy. */
  readonly onToken?: (drawn: DrawnToken) => void;
  /** Number of likeliest tokens per position to return, with log-probs at temperature 1 (local policies). */
  readonly topLogProbs?: number;
  /** Requests `Completion.promptLogProbs` instead of a reply, if the model has them. */
  readonly scorePrompt?: boolean;
  /** Requests with the same value may share cached prefixes. */
  readonly conversation?: string;
  /** Earlier replies of the speaker, in order, so that a local policy reads their exact tokens. */
  readonly ownReplies?: readonly OwnReply[];
}

/** Earlier reply, as text and sampled tokens. */
export interface OwnReply {
  readonly text: string;
  readonly tokens: readonly number[];
}

/** Exact tokens of a local policy's reply, for training. */
export interface TokenTrace {
  readonly promptTokens: readonly number[];
  /** Sampled tokens, including the end token or the one that completed a stop text. */
  readonly tokens: readonly number[];
  /** log π of each token at the sampling temperature (1 for greedy), before top-p, top-k or min-p. */
  readonly logProbs: readonly number[];
  /** Optional entry per token. */
  readonly atOne?: readonly LogProbsAtOne[];
}

/** Log-probs at temperature 1. */
export interface LogProbsAtOne {
  readonly logProb: number;
  /** Likeliest tokens in descending order. */
  readonly top: readonly { readonly token: number; readonly logProb: number }[];
}

/** Drawn token with its log-probs. */
export interface DrawnToken {
  readonly token: number;
  readonly logProb: number;
  readonly atOne?: LogProbsAtOne;
}

/** Model reply; local models include `trace`. */
export interface Completion {
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
  readonly model: ModelIdentity;
  readonly trace?: TokenTrace;
  /** Requested log-probs of the prompt's tokens at temperature 1; null for the first token. */
  readonly promptLogProbs?: readonly (number | null)[];
}

/** Weights that produced a reply. */
export interface ModelIdentity {
  readonly id: string;
  /** Optimiser steps of these weights; 0 for a frozen model. */
  readonly weightVersion: number;
}

/** Language model. @throws LaconicError `aborted` if the request's signal fires */
export interface LanguageModel {
  readonly id: string;
  /** Supported sampling parameters; others are rejected. Missing if unknown. */
  readonly supports?: readonly SamplingName[];
  complete(request: CompletionRequest): Promise<Completion>;
}

/** Reasons why a reply ends. `refusal` includes filters; `unknown` replies may be truncated. */
export const finishReasons = ["stop", "length", "refusal", "unknown"] as const;

/** See {@link finishReasons}. */
export type FinishReason = (typeof finishReasons)[number];

const cutShort: Readonly<Record<FinishReason, boolean>> = { stop: false, length: true, refusal: false, unknown: true };

/** Whether a reply may be truncated. */
export function isCutShort(reason: FinishReason): boolean {
  return cutShort[reason];
}
