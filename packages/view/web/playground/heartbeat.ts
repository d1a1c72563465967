/** How often a worker is asked, and how long it may say nothing: far longer than the longest piece of a step on a slow phone. */
const [everyMs, silentMs] = [2500, 20_000];

/** Listens for a worker that says nothing any more: one that was killed says nothing of that. */
export interface Heartbeat {
  /** It said something. */
  received(): void;
  stop(): void;
}

/**
 * Pings in a rhythm, and tells once when nothing is heard for long. Time in which the page itself stood still, hidden or asleep, does not
 * count.
 */
export function heartbeat(ping: () => void, silent: () => void): Heartbeat {
  let waited = 0;
  let last = performance.now();
  let isReported = false;
  const timer = setInterval(() => {
    const now = performance.now();
    const stoodStill = now - last > 2 * everyMs;
    waited = stoodStill ? 0 : waited + now - last;
    last = now;
    if (waited > silentMs && !isReported) {
      isReported = true;
      silent();
    }
    ping();
  }, everyMs);
  return {
    received() {
      waited = 0;
      isReported = false;
    },
    stop: () => clearInterval(timer),
  };
}
