import type { Timer } from "@laconic/rewards";
import { timedEvents } from "./timed-events.ts";

/** Deterministic timer that skips waiting times. */
export interface VirtualTimer extends Timer {
  /** Advances to the next event when idle, until the work is done. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Stops the clock until the work is done, for real work such as files. */
  still<T>(work: Promise<T>): Promise<T>;
}

/** Starts at 0 milliseconds. */
export function virtualTimer(): VirtualTimer {
  const events = timedEvents();
  let now = 0;
  let busy = 0;
  return {
    now: () => now,
    after: (milliseconds, call) => events.at(now + milliseconds, call),
    async run(work) {
      let isDone = false;
      const end = (): void => void (isDone = true);
      work.then(end, end);
      while (!isDone) {
        await new Promise((go) => setImmediate(go));
        const event = busy === 0 && !isDone ? events.next() : undefined;
        if (!event) continue;
        now = event.time;
        event.go();
      }
      return work;
    },
    async still(work) {
      busy += 1;
      try {
        return await work;
      } finally {
        busy -= 1;
      }
    },
  };
}
