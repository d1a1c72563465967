/**
 * Wrong but well-formed replies of a server:
 * - `wrong-ids`: other tokens with the sampled tokens' log-probs;
 * - `permuted`: tokens of a permuted vocabulary;
 * - `wrong-log-probs`: the sampled tokens with other log-probs;
 * - `truncated`: the first half, marked as complete;
 * - `swapped`: a reply of at least three tokens to another prompt;
 * - `noise`: uniform random tokens with their true log-probs.
 */
export type Lie = "wrong-ids" | "permuted" | "wrong-log-probs" | "truncated" | "swapped" | "noise";

/** Fault of one request. */
export type ServerFault =
  | { readonly kind: "status"; readonly status: number; readonly retryAfterSeconds?: number }
  /** Does it, then breaks the connection during the reply. */
  | { readonly kind: "dies" }
  /** Answers when the promise resolves. */
  | { readonly kind: "waits"; readonly until: Promise<void> }
  /** Uses the first loaded adapter under the requested name, or the base if that is the only one. */
  | { readonly kind: "stale" }
  /** Sends a wrong but well-formed reply. */
  | { readonly kind: "lies"; readonly how: Lie; readonly vocabularySize: number }
  | { readonly kind: "other-name" }
  | { readonly kind: "wrong-tokens" }
  | { readonly kind: "not-finite" }
  | { readonly kind: "other-prompt" };

/** Called before each request; null for no fault. */
export type ServerFaults = (path: string, body: unknown) => ServerFault | null;
