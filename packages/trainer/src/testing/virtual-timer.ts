import type { Timer } from "@laconic/rewards";
import { timedEvents } from "./timed-events.ts";

/** A timer on which hours pass in no time, the same way each time. */
export interface VirtualTimer extends Timer {
  /** Lets time go on, to the next moment that something waits for, whenever nothing else is to be done; until the work is. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Time stands still until the work is done: for what takes time of its own, as files do. */
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
