import type { RandomState } from "./numeric/random.ts";
import type { Sampling, SamplingName } from "./sampling.ts";
import type { TokenUsage } from "./ledger/token-usage.ts";

/** One message of a chat prompt. `tool` is what a tool answered, for templates that know the role. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
}

/** A chat for an API model, a text for a base model, or token ids where nothing may be re-tokenised. */
export type Prompt =
  | { readonly kind: "messages"; readonly messages: readonly ChatMessage[] }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tokens"; readonly tokens: readonly number[] };

/** What a request asks of its reply: how tokens are drawn, and where it ends. */
export interface SamplingSettings extends Sampling {
  /** Most tokens written, the end token included. */
  readonly maxTokens: number;
  /**
   * Texts that end the reply; they are not part of `Completion.text`. Usage and trace go as far as the token that completes
   * one: it was written.
   */
  readonly stop?: readonly string[];
}

/** A prompt, sampling settings and a random stream. */
export interface CompletionRequest {
  readonly prompt: Prompt;
  readonly sampling: SamplingSettings;
  /** The request's own random stream: a local policy draws from it, an API model gets a seed derived from it. */
  readonly random: RandomState;
  readonly signal?: AbortSignal;
  /** Called with each token of a local policy as it is drawn; models that do not stream ignore it. */
  readonly onToken?: (drawn: DrawnToken) => void;
  /** Asks a local policy for log-probs at temperature 1, and for this many likeliest tokens at each place. */
  readonly topLogProbs?: number;
  /** Asks for log-probs of the prompt's own tokens, `Completion.promptLogProbs`: the reply is of no interest. Models that cannot give them leave them out. */
  readonly scorePrompt?: boolean;
  /** Requests of one conversation, such as the turns of an episode, may go on from each other's cached prefixes. */
  readonly conversation?: string;
  /** The speaker's earlier replies, in order: where the chat has one as the assistant's message, a local policy reads its very tokens. */
  readonly ownReplies?: readonly OwnReply[];
}

/** An earlier reply, as text and as sampled tokens. */
export interface OwnReply {
  readonly text: string;
  readonly tokens: readonly number[];
}

/** The exact tokens of a local policy's reply; what training uses, so nothing is re-tokenised. */
export interface TokenTrace {
  readonly promptTokens: readonly number[];
  /** Sampled tokens, the end token or the one that completed a stop text included. */
  readonly tokens: readonly number[];
  /** log π of each sampled token at the sampling temperature (at 1 for greedy), before any truncation by top-p, top-k or min-p. */
  readonly logProbs: readonly number[];
  /** Where the request asked for them, one entry per token. */
  readonly atOne?: readonly LogProbsAtOne[];
}

/** Log-probs of one place in a reply at temperature 1, the model's own distribution. */
export interface LogProbsAtOne {
  /** Of the token that was drawn. */
  readonly logProb: number;
  /** The likeliest tokens, in descending order. */
  readonly top: readonly { readonly token: number; readonly logProb: number }[];
}

/** A drawn token and its log-probs. */
export interface DrawnToken {
  readonly token: number;
  /** As in the trace. */
  readonly logProb: number;
  /** Where the request asks for it. */
  readonly atOne?: LogProbsAtOne;
}

/** A model's reply; `trace` has its tokens and log-probs where the model is local. */
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

/**
 * A frozen API model, a local policy or a recorded replay.
 * @throws LaconicError `aborted` when the request's signal fires.
 */
export interface LanguageModel {
  readonly id: string;
  /** Supported sampling parameters; others are rejected by name. Absent if unknown. */
  readonly supports?: readonly SamplingName[];
  complete(request: CompletionRequest): Promise<Completion>;
}

/**
 * Why a model stopped writing: it ended its turn, it reached a limit, it or a filter refused, or the server does not say so in a
 * way that is known here. A reply that ends by `unknown` may lack its end.
 */
export const finishReasons = ["stop", "length", "refusal", "unknown"] as const;

/** One of `finishReasons`. */
export type FinishReason = (typeof finishReasons)[number];

const cutShort: Readonly<Record<FinishReason, boolean>> = { stop: false, length: true, refusal: false, unknown: true };

/** Whether a reply may lack its end. */
export function isCutShort(reason: FinishReason): boolean {
  return cutShort[reason];
}
