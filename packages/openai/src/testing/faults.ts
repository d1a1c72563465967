/**
 * How a server that looks well answers otherwise than its weights would:
 * - `wrong-ids`: other tokens, with the log-probs of those that were sampled;
 * - `permuted`: as with a vocabulary in another order;
 * - `wrong-log-probs`: the tokens that were sampled, with other log-probs;
 * - `truncated`: the first half, as though it ended there;
 * - `swapped`: a reply of three tokens or more to another prompt;
 * - `noise`: tokens drawn evenly, with their true log-probs.
 */
export type Lie = "wrong-ids" | "permuted" | "wrong-log-probs" | "truncated" | "swapped" | "noise";

/** What may go wrong with one request. */
export type ServerFault =
  /** Not done, and said so. */
  | { readonly kind: "status"; readonly status: number; readonly retryAfterSeconds?: number }
  /** Done, and the connection breaks in the middle of the reply. */
  | { readonly kind: "dies" }
  /** Answers when the promise resolves. */
  | { readonly kind: "waits"; readonly until: Promise<void> }
  /** Computes with the adapter that was loaded first, under the name that was asked for. */
  | { readonly kind: "stale" }
  /** Answers otherwise than its weights would, in words that look well. */
  | { readonly kind: "lies"; readonly how: Lie; readonly vocabularySize: number }
  /** Says that other weights wrote the reply. */
  | { readonly kind: "other-name" }
  /** Token ids beyond the vocabulary. */
  | { readonly kind: "wrong-tokens" }
  /** Log-probs that are no numbers. */
  | { readonly kind: "not-finite" }
  /** Reads another prompt than was sent. */
  | { readonly kind: "other-prompt" };

/** Asked before each request; null lets it be. */
export type ServerFaults = (path: string, body: unknown) => ServerFault | null;
