import { setTimeout as wait } from "node:timers/promises";

/** Time as a fleet knows it; tests give one of their own. */
export interface FleetClock {
  /** Milliseconds of a clock that never goes back. */
  nowMs(): number;
  /** @param signal - ends it early, and it rejects */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborts with a `TimeoutError`. */
  timeout(ms: number): AbortSignal;
}

export const systemClock: FleetClock = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, signal && { signal }),
  timeout: (ms) => AbortSignal.timeout(ms),
};
