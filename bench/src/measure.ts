import { openSync, readSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
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
 * Processor time of the calling thread, in milliseconds: on Linux without the garbage collector's threads, elsewhere of the process.
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

/** A busy machine lengthens the wall time, not the processor time. */
export interface Moment {
  /** Milliseconds. */
  readonly wall: number;
  /** Seconds of all processes that this one started, a browser's among them, where Linux counts them. */
  readonly processor: number;
}

/** This moment, and what was computed up to it. */
export async function now(): Promise<Moment> {
  const ticks = 100;
  const processes = new Map<number, { readonly parent: number; readonly used: number }>();
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/u.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    processes.set(Number(name), { parent: Number(fields[1]), used: Number(fields[11]) + Number(fields[12]) });
  }
  const isOurs = (id: number): boolean => {
    const parent = processes.get(id)?.parent ?? 0;
    return parent === process.pid || (parent > 1 && isOurs(parent));
  };
  const used = [...processes].filter(([id]) => isOurs(id)).reduce((sum, [, each]) => sum + each.used, 0);
  return { wall: performance.now(), processor: used / ticks };
}
