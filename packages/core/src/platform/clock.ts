import { setTimeout as wait } from "node:timers/promises";

/** Time for clients of servers; tests pass a fake clock. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  nowMs(): number;
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The real clock. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: async (ms, signal) => {
    // A derived signal, because hundreds of waiting requests would add hundreds of listeners to one signal.
    await wait(ms, undefined, { ...(signal && { signal: AbortSignal.any([signal]) }), ref: true });
  },
};
