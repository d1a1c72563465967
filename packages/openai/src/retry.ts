/** Reaction to a failed attempt. */
export type Remedy =
  | { readonly kind: "retry"; readonly afterMs?: number; readonly crowded: boolean }
  /** Retry once: the reply was damaged. */
  | { readonly kind: "retry-once" }
  | { readonly kind: "spent" }
  | { readonly kind: "refused" };

/** Known facts of an attempt. */
export interface Failure {
  /** Missing without a reply. */
  readonly status?: number;
  /** Lower case, such as `insufficient_quota`; never its message. */
  readonly names?: readonly string[];
  /** Milliseconds that the server requests. */
  readonly waitMs?: number;
}

/**
 * Codes of providers for an account without credit. Not included: Together's `credit_limit`, also used for rate limits,
 * and Google's `resource_exhausted`, used for every rate limit.
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
/** Unsupported operations stay unsupported. */
const lasting: readonly number[] = [501, 505];

/**
 * Decides by status and codes. Messages are not used: free tiers and Azure mention quota and billing in every rate
 * limit.
 */
export function remedyFor({ status, names = [], waitMs }: Failure): Remedy {
  if (status === undefined) return { kind: "retry", crowded: false };
  if (status === 402 || names.some((name) => spentNames.has(name))) return { kind: "spent" };
  if (!transient.includes(status) && (status < 500 || lasting.includes(status))) return { kind: "refused" };
  return { kind: "retry", crowded: status === 429, ...(waitMs !== undefined && { afterMs: waitMs }) };
}

const longestWaitMs = 300_000;

/** Milliseconds of a `Retry-After` header, at most five minutes; null if invalid. */
export function parseRetryAfter(header: string, nowMs: number): number | null {
  const text = header.trim();
  const wait = /^\d+(?:\.\d+)?$/u.test(text)
    ? Number(text) * 1000
    : /[a-z]/iu.test(text)
      ? Date.parse(text) - nowMs
      : NaN;
  return Number.isNaN(wait) ? null : clamped(wait);
}

/**
 * Requested wait in milliseconds, at most five minutes; null without one. Order: `retry-after-ms` (OpenAI, Azure),
 * `retry-after`, the body (Gemini), and for status 429 the reset of exhausted rate limits, or the earliest reset.
 * @param status - servers send resets with every reply, so they count for 429 only
 * @param nowMs - milliseconds since 1970
 */
export function askedWaitMs(headers: Headers, status: number, bodyMs: number | null, nowMs: number): number | null {
  const exact = headers.get("retry-after-ms")?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/u.test(exact)) return clamped(Number(exact));
  const after = headers.get("retry-after");
  // Dates are relative to the server's clock if it sends one.
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

/** Reads a duration (`2m59.56s`), seconds from now, a date, or seconds or milliseconds since 1970. */
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
  const moment = /\d{4}-\d\d-\d\dT/u.test(value) ? Date.parse(value) - nowMs : NaN;
  return Number.isNaN(moment) ? null : moment;
}

function clamped(waitMs: number): number {
  return Math.min(Math.max(waitMs, 0), longestWaitMs);
}
