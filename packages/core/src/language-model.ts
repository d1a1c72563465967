import type { RandomState } from "./numeric/random.ts";
import type { Sampling, SamplingName } from "./sampling.ts";
import type { TokenUsage } from "./ledger/token-usage.ts";

/** Chat message; `tool` is a tool's result. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
}

/** Chat, text for a base model, or token ids that must not be tokenised again. */
export type Prompt =
  | { readonly kind: "messages"; readonly messages: readonly ChatMessage[] }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tokens"; readonly tokens: readonly number[] };

/** Sampling with limits. */
export interface SamplingSettings extends Sampling {
  /** Includes the end token. */
  readonly maxTokens: number;
  /** Excluded from `Completion.text`, but counted in usage and trace. */
  readonly stop?: readonly string[];
}

/** Prompt with sampling settings and a random stream. */
export interface CompletionRequest {
  readonly prompt: Prompt;
  readonly sampling: SamplingSettings;
  /** API models get a seed derived from it. */
  readonly random: RandomState;
  readonly signal?: AbortSignal;
  readonly onToken?: (drawn: DrawnToken) => void;
  /** Likeliest tokens per position, at temperature 1 (local policies). */
  readonly topLogProbs?: number;
  /** Requests `Completion.promptLogProbs` instead of a reply. */
  readonly scorePrompt?: boolean;
  /** Requests with the same value may share cached prefixes. */
  readonly conversation?: string;
  /** Lets a local policy read their exact tokens. */
  readonly ownReplies?: readonly OwnReply[];
}

/** Earlier reply, as text and sampled tokens. */
export interface OwnReply {
  readonly text: string;
  readonly tokens: readonly number[];
}

/** Exact tokens of a local policy's reply. */
export interface TokenTrace {
  readonly promptTokens: readonly number[];
  /** Include the end token or the one that completed a stop text. */
  readonly tokens: readonly number[];
  /** log π of each token at the sampling temperature (1 for greedy), before top-p, top-k or min-p. */
  readonly logProbs: readonly number[];
  readonly atOne?: readonly LogProbsAtOne[];
}

/** Log-probs at temperature 1. */
export interface LogProbsAtOne {
  readonly logProb: number;
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
  /** Log-probs at temperature 1; null for the first token. */
  readonly promptLogProbs?: readonly (number | null)[];
}

/** Weights that produced a reply. */
export interface ModelIdentity {
  readonly id: string;
  /** Optimizer steps; 0 for a frozen model. */
  readonly weightVersion: number;
}

/**
 * Language model.
 * @throws LaconicError `aborted`
 */
export interface LanguageModel {
  readonly id: string;
  /** Missing if unknown. */
  readonly supports?: readonly SamplingName[];
  complete(request: CompletionRequest): Promise<Completion>;
}

/** Why a reply ends: `refusal` includes filters; `unknown` may be truncated. */
export const finishReasons = ["stop", "length", "refusal", "unknown"] as const;

/** See {@link finishReasons}. */
export type FinishReason = (typeof finishReasons)[number];

const cutShort: Readonly<Record<FinishReason, boolean>> = { stop: false, length: true, refusal: false, unknown: true };

/** Whether a reply may be truncated. */
export function isCutShort(reason: FinishReason): boolean {
  return cutShort[reason];
}
