const [baseMs, capMs] = [500, 30_000] as const;

/**
 * Returns the wait in milliseconds: full jitter, doubling from 0.5 to 30 s (Brooker, "Exponential Backoff And Jitter").
 * @param attempt - failed attempts so far, from 1
 * @param uniform - in [0, 1)
 */
export function backoffMs(attempt: number, uniform: number): number {
  return uniform * Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 20));
}
