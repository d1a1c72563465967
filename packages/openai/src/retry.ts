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

const longestWaitMs = 300_000;

/** Milliseconds of a `Retry-After` header, seconds or a date, between 0 and five minutes; null for garbage. */
export function parseRetryAfter(header: string, nowMs: number): number | null {
  const text = header.trim();
  const wait = /^\d+(?:\.\d+)?$/u.test(text)
    ? Number(text) * 1000
    : /[a-z]/iu.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN;
  return Number.isNaN(wait) ? null : clamped(wait);
}

/**
 * How long a server asks to wait, in milliseconds between 0 and five minutes; null where it does not say. In this order:
 * `retry-after-ms` (OpenAI, Azure), `retry-after`, what the body says (Gemini), and, where too much was asked, the reset of the rate
 * limits that are used up, or the first of all.
 * @param status - HTTP status; resets count at 429 alone, because servers send them with every reply
 * @param bodyMs - of the body
 * @param nowMs - milliseconds since 1970
 */
export function askedWaitMs(headers: Headers, status: number, bodyMs: number | null, nowMs: number): number | null {
  const exact = headers.get("retry-after-ms")?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/u.test(exact)) return clamped(Number(exact));
  const after = headers.get("retry-after");
  // A date is read against the server's own clock, where it shows it.
  const serverMs = Date.parse(headers.get("date") ?? "");
  const wait = after === null ? null : parseRetryAfter(after, Number.isNaN(serverMs) ? nowMs : serverMs);
  if (wait !== null) return wait;
  if (bodyMs !== null) return clamped(bodyMs);
  return status === 429 ? untilReset(headers, nowMs) : null;
}

const reset = /^((?:x-)?ratelimit-)reset(-.+)?$/u;

function untilReset(headers: Headers, nowMs: number): number | null {
  const [used, all]: [number[], number[]] = [[], []];
  for (const [name, value] of headers) {
    const parts = reset.exec(name);
    const wait = parts ? resetMs(value, nowMs) : null;
    if (!parts || wait === null) continue;
    all.push(wait);
    if (headers.get(`${parts[1]}remaining${parts[2] ?? ""}`)?.trim() === "0") used.push(wait);
  }
  if (all.length === 0) return null;
  return clamped(used.length > 0 ? Math.max(...used) : Math.min(...all));
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration (`2m59.56s`), seconds from now, or a moment: a date, or seconds or milliseconds since 1970. */
function resetMs(text: string, nowMs: number): number | null {
  const value = text.trim();
  if (/^\d+(?:\.\d+)?$/u.test(value)) {
    const count = Number(value);
    if (count > 1e11) return count - nowMs;
    return count > 1e9 ? count * 1000 - nowMs : count * 1000;
  }
  if (/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/u.test(value))
    return [...value.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/gu)].reduce(
      (sum, [, count, unit = ""]) => sum + Number(count) * (units[unit] ?? 0),
      0,
    );
  const moment = /\d{4}-\d\d-\d\dT/u.test(value) ? Date.parse(value) - nowMs : Number.NaN;
  return Number.isNaN(moment) ? null : moment;
}

function clamped(waitMs: number): number {
  return Math.min(Math.max(waitMs, 0), longestWaitMs);
}
