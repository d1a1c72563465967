import { setTimeout as wait } from "node:timers/promises";

/** Time as a fleet knows it; tests give one of their own. */
export interface FleetClock {
  /** Milliseconds of a clock that never goes back. */
  nowMs(): number;
  sleep(ms: number): Promise<void>;
  /** Aborts with a `TimeoutError`. */
  timeout(ms: number): AbortSignal;
}

export const systemClock: FleetClock = {
  nowMs: () => performance.now(),
  sleep: async (ms) => {
    await wait(ms);
  },
  timeout: (ms) => AbortSignal.timeout(ms),
};
