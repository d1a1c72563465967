import { openSync, readSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { performance } from "node:perf_hooks";

/** What a figure was measured on. */
export function machine(): Record<string, unknown> {
  return { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, load1: loadavg()[0] };
}

/** Prints one result as a line of JSON. */
export function print(bench: string, result: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ bench, ...result })}\n`);
}

/** Shortest and median milliseconds of `runs` calls after one warm-up. */
export function timeSync(run: () => void, runs: number): { minMs: number; medianMs: number } {
  run();
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  }).toSorted((a, b) => a - b);
  return { minMs: times[0] as number, medianMs: times[Math.floor(times.length / 2)] as number };
}

/**
 * Processor time of the calling thread, in milliseconds: on Linux without the threads that collect memory beside it, elsewhere of the process.
 */
export function threadCpuMs(): number {
  if (schedule === null) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
  const length = readSync(schedule, text, 0, text.length, 0);
  return Number(text.toString("latin1", 0, length).split(" ")[0]) / 1e6;
}

const text = Buffer.alloc(96);
const schedule = ((): number | null => {
  try {
    return openSync("/proc/thread-self/schedstat", "r");
  } catch {
    return null;
  }
})();
