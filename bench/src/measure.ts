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
