import { setTimeout as wait } from "node:timers/promises";

export interface Clock {
  /** Monotonic. */
  nowMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: async (ms, signal) => {
    // Hundreds of waiting requests would add hundreds of listeners to one signal.
    await wait(ms, undefined, { ...(signal && { signal: AbortSignal.any([signal]) }), ref: true });
  },
};
