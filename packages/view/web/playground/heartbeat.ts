/** Time between pings, and longest silence: far longer than the longest piece of a step on a slow phone. */
const [everyMs, silentMs] = [2500, 20_000];

/** Detects a worker that was killed, which sends no event. */
export interface Heartbeat {
  /** The worker sent a message. */
  received(): void;
  stop(): void;
}

/** Pings regularly and calls `silent` once after a long silence. Time in which the page itself slept does not count. */
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
