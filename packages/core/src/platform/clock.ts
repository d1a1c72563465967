import { setTimeout as wait } from "node:timers/promises";

/** Time as a client of servers knows it; tests give one of their own. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  nowMs(): number;
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Time as it goes by. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: async (ms, signal) => {
    // A signal of its own: hundreds that wait for one server would be hundreds of listeners on theirs.
    await wait(ms, undefined, { ...(signal && { signal: AbortSignal.any([signal]) }), ref: true });
  },
};
