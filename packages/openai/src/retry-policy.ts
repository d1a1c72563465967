/** What a failed attempt calls for. */
export type Remedy =
  /** Ask again, after at least so long where the server said so. */
  | { readonly kind: "retry"; readonly afterMs?: number; readonly crowded: boolean }
  /** Ask once more: the reply was damaged. */
  | { readonly kind: "retry-once" }
  /** The account is spent: no request will help. */
  | { readonly kind: "spent" }
  /** The request is wrong: asking again does not help. */
  | { readonly kind: "refused" };

/** What is known of a failed attempt. */
export interface Failure {
  /** HTTP status; absent when no reply came. */
  readonly status?: number;
  /** The server's own names of the error, in lower case: `insufficient_quota`, `rate_limit_exceeded`, ...; never its words. */
  readonly names?: readonly string[];
  /** Milliseconds that the server asks to wait. */
  readonly waitMs?: number;
  /** A reply came and was no completion. */
  readonly malformed?: boolean;
}

/**
 * Names by which providers say that an account is spent. Not among them: Together's `credit_limit`, which is a rate limit too
 * (at 402 the status says it), and Google's `resource_exhausted`, which is every rate limit of its.
 */
const spentNames: ReadonlySet<string> = new Set([
  "insufficient_quota", // OpenAI, and Azure where it hands OpenAI's on
  "billing_hard_limit_reached", // OpenAI
  "billing_not_active", // OpenAI
  "billing_error", // Anthropic
  "exceeded_current_quota_error", // Moonshot; its rate limit is rate_limit_reached_error
  "budget_exceeded", // LiteLLM's proxy
]);
const transient: readonly number[] = [408, 409, 425, 429];
/** What a server cannot do at all, it cannot do later. */
const lasting: readonly number[] = [501, 505];

/**
 * Decides what to do about a failure, by status and the server's names for it: free tiers and Azure speak of quota and billing in
 * every rate limit. A status that is not listed is the request's fault.
 */
export function remedyFor({ status, names = [], waitMs, malformed = false }: Failure): Remedy {
  if (malformed) return { kind: "retry-once" };
  if (status === undefined) return { kind: "retry", crowded: false };
  if (status === 402 || names.some((name) => spentNames.has(name))) return { kind: "spent" };
  if (!transient.includes(status) && (status < 500 || lasting.includes(status))) return { kind: "refused" };
  return { kind: "retry", crowded: status === 429, ...(waitMs !== undefined && { afterMs: waitMs }) };
}
