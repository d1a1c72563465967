import { setTimeout as wait } from "node:timers/promises";

/** Injectable clock. */
export interface Clock {
  /** Monotonic. */
  nowMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The system's. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: async (ms, signal) => {
    // Hundreds of waiting requests would add hundreds of listeners to one signal.
    await wait(ms, undefined, { ...(signal && { signal: AbortSignal.any([signal]) }), ref: true });
  },
};
