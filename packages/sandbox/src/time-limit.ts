import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";

/**
 * Limits of a program's own time: computing and sleeping. A high ceiling of wall time ends programs that get no
 * processor.
 */
export interface TimeLimit {
  readonly seconds: number;
  /** The program is ended here; between the limits, it was near the limit. */
  readonly lastSeconds: number;
  /** The machine then counts as too slow. */
  readonly wallSeconds: number;
}

export function timeLimit(seconds: number): TimeLimit {
  return { seconds, lastSeconds: 1.5 * seconds, wallSeconds: 30 + 20 * seconds };
}

/** The program exceeded its limit, or the machine was too slow. */
export type TimeEnd = "time" | "stalled";

const longestWait = 60_000; // timers hold at most 2^31 ms
const minWait = 20;
const lookEvery = 0.1;

/**
 * Ends a program above its limit; polls only after that much wall time. Returns a function that stops the watch.
 * @param used - seconds, or null if the system does not report them; wall time then decides
 */
export function watchTime(
  limit: TimeLimit,
  used: () => Promise<number | null>,
  end: (how: TimeEnd) => void,
): () => void {
  const start = performance.now();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const wait = (seconds: number): void => {
    timer = setTimeout(() => void look(), Math.min(Math.max(seconds * 1000, minWait), longestWait));
  };
  const look = async (): Promise<void> => {
    const wall = (performance.now() - start) / 1000;
    if (wall < limit.seconds) return wait(limit.seconds - wall);
    const cpu = (await used().catch(() => null)) ?? wall;
    if (stopped) return;
    if (cpu >= limit.lastSeconds) end("time");
    else if (wall >= limit.wallSeconds) end("stalled");
    else wait(Math.min(limit.lastSeconds - cpu, lookEvery));
  };
  wait(limit.seconds);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

const ticksPerSecond = 100; // USER_HZ, the same on every Linux

/** Processor seconds of a thread, or of the process; null if unknown. */
export async function processorSeconds(pid: number, thread: number | null): Promise<number | null> {
  if (process.platform === "win32") return null;
  return thread === null ? secondsOfPs(pid) : ((await threadTimes(pid, thread))?.seconds ?? null);
}

/** The last started thread of a Linux process, else the one with the most processor time; null if unknown. */
export async function latestThread(pid: number): Promise<number | null> {
  const threads = (await readdir(`/proc/${pid}/task`).catch(() => [])).map(Number);
  const times = await Promise.all(threads.map((thread) => threadTimes(pid, thread)));
  const latest = times
    .filter((time) => time !== null)
    .toSorted((a, b) => b.start - a.start || b.seconds - a.seconds)[0];
  return latest?.thread ?? null;
}

/** utime, stime and starttime of proc_pid_stat(5). */
async function threadTimes(
  pid: number,
  thread: number,
): Promise<Readonly<Record<"thread" | "start" | "seconds", number>> | null> {
  const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, "utf8").catch(() => null);
  if (stat === null) return null;
  // The preceding name may contain anything.
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [utime = 0, stime = 0, start = 0] = [fields[11], fields[12], fields[19]];
  return { thread, start, seconds: (utime + stime) / ticksPerSecond };
}

/** Seconds that a Linux process waited for a processor; null if unknown. */
export async function waitedSeconds(pid: number): Promise<number | null> {
  const reported = await readFile(`/proc/${pid}/schedstat`, "utf8").catch(() => null);
  const nanoseconds = Number(reported?.split(" ")[1]);
  return Number.isNaN(nanoseconds) ? null : nanoseconds / 1e9;
}

/** The last of a chain of only children: the program that `bwrap` runs. Linux only. */
export async function lastDescendant(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const child = Number.parseInt(children, 10);
  return child > 0 ? lastDescendant(child) : pid;
}

/** Out-of-memory kills since boot; null if unknown. */
export async function outOfMemoryKills(): Promise<number | null> {
  const reported = await readFile("/proc/vmstat", "utf8").catch(() => "");
  const count = /^oom_kill (\d+)$/mu.exec(reported)?.[1];
  return count === undefined ? null : Number(count);
}

/** `[[days-]hours:]minutes:seconds`. */
function secondsOfPs(pid: number): Promise<number | null> {
  return new Promise((resolve) => {
    execFile("ps", ["-o", "time=", "-p", String(pid)], (error, stdout) => {
      const parts = error ? [] : stdout.trim().split(/[-:]/u).map(Number);
      const units = [1, 60, 3600, 86_400];
      const seconds = parts.toReversed().reduce((sum, part, i) => sum + part * (units[i] ?? Number.NaN), 0);
      resolve(parts.length === 0 || Number.isNaN(seconds) ? null : seconds);
    });
  });
}
