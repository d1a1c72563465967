/** The longest that a hub may make us wait; it counts requests in windows of five minutes. */
const longestWaitMs = 300_000;

/**
 * How long to wait before asking again; null when the hub asks for longer than is sensible.
 * `Retry-After` decides where there is one: seconds, or a date, which is read against the answer's own.
 * @param attempt - attempts that failed before, from 0
 */
export function retryDelayMs(attempt: number, headers: Headers | null): number | null {
  const stated = headers?.get("retry-after") ?? null;
  const doubling = Math.min(500 * 2 ** attempt, 30_000);
  if (stated === null || headers === null) return doubling;
  const ms = /^\d+$/.test(stated.trim())
    ? Number(stated) * 1000
    : Date.parse(stated) - Date.parse(headers.get("date") ?? "");
  if (!Number.isFinite(ms)) return doubling;
  return ms > longestWaitMs ? null : Math.max(0, ms);
}
