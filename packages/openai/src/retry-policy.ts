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
  /** The server's own name of the error: `insufficient_quota`, `rate_limit_exceeded`, ... */
  readonly code?: string;
  readonly retryAfter?: string;
  /** A reply came and was no completion. */
  readonly malformed?: boolean;
}

const quota = /quota|billing|insufficient_(?:funds|balance|quota)|budget|credit/iu;
const transient: readonly number[] = [408, 409, 425, 429, 500, 502, 503, 504, 529];
const longestWaitMs = 300_000;

/** Decides what to do about a failure. A status that is not listed is the request's fault. */
export function remedyFor({ status, code = "", retryAfter, malformed = false }: Failure, nowMs: number): Remedy {
  if (malformed) return { kind: "retry-once" };
  if (status === 402 || (status === 429 && quota.test(code))) return { kind: "spent" };
  if (status === undefined) return { kind: "retry", crowded: false };
  if (!transient.includes(status)) return { kind: "refused" };
  const afterMs = retryAfter === undefined ? null : parseRetryAfter(retryAfter, nowMs);
  return { kind: "retry", crowded: status === 429, ...(afterMs !== null && { afterMs }) };
}

/** Milliseconds of a `Retry-After` header, seconds or a date, between 0 and five minutes; null for garbage. */
export function parseRetryAfter(header: string, nowMs: number): number | null {
  const text = header.trim();
  const wait = /^\d+(?:\.\d+)?$/u.test(text)
    ? Number(text) * 1000
    : /[a-z]/iu.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN;
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), longestWaitMs);
}

const [baseMs, capMs] = [500, 30_000] as const;

/**
 * How long to wait before an attempt: full jitter, doubling from half a second to thirty (Brooker, "Exponential Backoff
 * And Jitter").
 * @param attempt - failed ones so far, from 1
 * @param uniform - in [0, 1)
 */
export function backoffMs(attempt: number, uniform: number): number {
  return uniform * Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 20));
}
