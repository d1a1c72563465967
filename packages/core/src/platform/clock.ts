import { setTimeout as wait } from "node:timers/promises";

/** Injectable clock for clients of servers. */
export interface Clock {
  /** Monotonic time in milliseconds. */
  nowMs(): number;
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** System clock. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: async (ms, signal) => {
    // A derived signal, because hundreds of waiting requests would add hundreds of listeners to one signal.
    await wait(ms, undefined, { ...(signal && { signal: AbortSignal.any([signal]) }), ref: true });
  },
};
