import { setTimeout as wait } from "node:timers/promises";
import { join } from "node:path";
import type { Random } from "@laconic/core";
import { startWatched, type Watched } from "./watched.ts";

/** A command of the soak, again and again. */
export interface Role {
  readonly name: string;
  /** The command's words, at its nth start. */
  words(start: number): readonly string[];
  /** Seconds between two signals, on average. */
  readonly everySeconds: number;
  /** What talks to it while it lives, until `signal`; what it finds wrong it tells. */
  readonly use?: (running: Watched, signal: AbortSignal, tell: (wrong: string) => void) => Promise<void>;
  /** What has to hold after it has ended, whatever ended it. */
  readonly check?: (tell: (wrong: string) => void) => void;
}

/** A time in which it stood still, in milliseconds since 1970. */
type Stop = readonly [from: number, to: number];

/** What became of a role. */
export interface Lived {
  readonly name: string;
  starts: number;
  readonly signals: Record<string, number>;
  readonly wrong: string[];
  readonly stops: Stop[];
  /** Seconds from SIGTERM or SIGINT to the end. */
  readonly secondsToEnd: number[];
}

const deaths = ["SIGKILL", "SIGKILL", "SIGTERM", "SIGINT"] as const;
/** An end that takes longer is one that hangs: a trainer finishes its step and saves, on a busy machine. */
const maxSecondsToEnd = 120;

/**
 * Keeps a command running until `signal`: kills it, stops it for a while, ends it, as its stream of random numbers says, and starts it
 * again. At the end it gets SIGTERM.
 * @param pace - how much longer than usual it is left alone now
 */
export async function keepRunning(
  role: Role,
  random: Random,
  folder: string,
  pace: () => number,
  signal: AbortSignal,
): Promise<Lived> {
  const lived: Lived = { name: role.name, starts: 0, signals: {}, wrong: [], stops: [], secondsToEnd: [] };
  const tell = (wrong: string): void => void lived.wrong.push(wrong);
  while (!signal.aborted) {
    const running = startWatched(role.words(lived.starts++), join(folder, `${role.name}.jsonl`));
    const gone = new AbortController();
    void running.ended.then(() => gone.abort());
    const using = role.use?.(running, gone.signal, tell).catch(async (error: unknown) => {
      // What is cut by its end is heard of before the end is.
      await pause(10_000, gone.signal);
      if (!gone.signal.aborted) tell(`its user failed: ${String(error)}`);
    });
    const sent = await signalled(
      running,
      role.everySeconds * pace(),
      random,
      lived,
      AbortSignal.any([signal, gone.signal]),
    );
    const asked = performance.now();
    if (sent === null && !gone.signal.aborted) running.child.kill("SIGTERM");
    const late = setTimeout(() => {
      tell(`${sent ?? "SIGTERM"} did not end it within ${maxSecondsToEnd} s: ${running.said().slice(-300)}`);
      running.child.kill("SIGKILL");
    }, maxSecondsToEnd * 1000);
    const { code, signal: endedBy } = await running.ended;
    clearTimeout(late);
    await using;
    if (sent !== "SIGKILL" && endedBy !== "SIGKILL") lived.secondsToEnd.push((performance.now() - asked) / 1000);
    // Before it listens to signals, one ends it at once.
    const isExpected =
      sent === "SIGKILL" ? endedBy === sent : [0, 130, 143].includes(code ?? -1) || endedBy === (sent ?? "SIGTERM");
    const said = running.said();
    if (!isExpected) tell(`${sent ?? "by itself"}: ended with ${code ?? endedBy}: ${said.slice(-600)}`);
    if (/^\s+at .+:\d+|UnhandledPromise|unexpected error/mu.test(said)) tell(`says a stack: ${said.slice(-600)}`);
    role.check?.(tell);
  }
  return lived;
}

/** Sends what the random numbers say until one of it is deadly. @returns it; null where `signal` came first, or an end by itself */
async function signalled(
  { child }: Watched,
  everySeconds: number,
  random: Random,
  lived: Lived,
  signal: AbortSignal,
): Promise<NodeJS.Signals | null> {
  for (;;) {
    await pause(1000 * everySeconds * (0.5 + random.uniform()), signal);
    if (signal.aborted) return null;
    const name = random.uniform() < 0.3 ? "SIGSTOP" : random.pick(deaths);
    lived.signals[name] = (lived.signals[name] ?? 0) + 1;
    child.kill(name);
    if (name !== "SIGSTOP") return name;
    const from = now();
    await pause(1000 + random.integer(5000), signal);
    child.kill("SIGCONT");
    lived.stops.push([from, now() + 2000]);
  }
}

/** Milliseconds since 1970, as samples have them. */
const now = (): number => performance.timeOrigin + performance.now();

export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal }).catch(() => undefined);
}
