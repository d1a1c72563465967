import { readdir, readFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";

/** A machine that does other work beside makes the first of them longer. */
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
