// Preloaded in processes of load.ts: appends memory, open handles and event-loop delay to a file every second.
import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const file = process.env.LACONIC_WATCH;
if (isMainThread && file) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const look = () => {
    const { rss, heapUsed } = process.memoryUsage();
    const handles = process.getActiveResourcesInfo().filter((kind) => !/Immediate|Timeout/u.test(kind));
    const [p99Ms, maxMs] = [delay.percentile(99) / 1e6, delay.max / 1e6];
    const sample = {
      pid: process.pid,
      at: performance.timeOrigin + performance.now(),
      rss,
      heapUsed,
      handles: handles.length,
      p99Ms,
      maxMs,
    };
    appendFileSync(file, `${JSON.stringify(sample)}\n`);
    delay.reset();
  };
  setInterval(look, 1000).unref();
}
