/** Longer than any blocking part of a step on slow phones. */
const [everyMs, silentMs] = [2500, 20_000];

/** Detects killed workers, which send no event. */
export interface Heartbeat {
  /** Call it for each worker message. */
  received(): void;
  stop(): void;
}

/** Pings regularly and calls `silent` once per long silence. Page sleep does not count. */
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
