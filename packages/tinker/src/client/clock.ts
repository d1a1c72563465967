import { setTimeout as wait } from "node:timers/promises";

/** Time as the client knows it; tests give one of their own. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  nowMs(): number;
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await wait(ms, undefined, { ...(signal && { signal }), ref: true });
  },
};
