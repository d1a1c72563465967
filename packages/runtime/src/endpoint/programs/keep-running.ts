import { thrownText } from "@laconic/core";
import { formatDuration } from "@laconic/core/text";
import { setTimeout as sleep } from "node:timers/promises";

/** A program that plays rollouts, while it lives. */
export interface StartedProgram {
  /** Null where it ended well; else why not, in words. */
  readonly ended: Promise<string | null>;
  /** Asks it to end, ends it when it does not, and resolves when it has. */
  stop(): Promise<void>;
}

/**
 * Starts a program.
 * @param index - of how many there are, counted from 0
 * @param attempt - how often it was started before
 * @throws Error where it cannot be started, in words
 */
export type StartProgram = (index: number, attempt: number) => Promise<StartedProgram>;

/** How programs are kept running. */
export interface KeepOptions {
  readonly count: number;
  readonly start: StartProgram;
  /** Hears of deaths. */
  readonly warn: (message: string) => void;
  /** Told once, when each has failed so often in a row that it is given up. */
  readonly allGaveUp: (reason: string) => void;
  /** Waits; ends early where the signal says so. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Before the first restart; doubled with each failure in a row. */
const firstWaitMs = 1000;
const maxWaitMs = 60_000;

/** Who lived so long has not failed in a row. */
const provenMs = 60_000;

/** Failures in a row after which a program is given up: four minutes of waiting. */
const maxFailures = 8;

const waitFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined);

/**
 * Keeps so many programs running: one that ends is started again, at once where it ended well, else after a wait that doubles.
 * @returns what ends them all
 */
export function keepRunning(options: KeepOptions): { stop(): Promise<void> } {
  const { count, start, warn, allGaveUp, wait = waitFor, now = () => performance.now() } = options;
  const stopping = new AbortController();
  const living = new Set<StartedProgram>();
  let gaveUp = 0;

  const failureOf = async (index: number, attempt: number): Promise<string | null> => {
    let program: StartedProgram;
    try {
      program = await start(index, attempt);
    } catch (error) {
      return thrownText(error);
    }
    living.add(program);
    if (stopping.signal.aborted) await program.stop();
    const failure = await program.ended;
    living.delete(program);
    return failure;
  };

  const keep = async (index: number): Promise<void> => {
    let failures = 0;
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      const since = now();
      const failure = await failureOf(index, attempt);
      if (stopping.signal.aborted) return;
      const lived = now() - since;
      failures = failure === null ? 0 : lived >= provenMs ? 1 : failures + 1;
      if (failures >= maxFailures) {
        warn(`program ${index + 1} failed ${failures} times in a row and is given up: ${failure}`);
        gaveUp += 1;
        if (gaveUp === count) allGaveUp(failure ?? "");
        return;
      }
      // One that ends well at once would else be started without end.
      const least = failure === null && lived < firstWaitMs ? firstWaitMs - lived : 0;
      const pause = failures === 0 ? least : Math.min(maxWaitMs, firstWaitMs * 2 ** (failures - 1));
      if (failure !== null) warn(`program ${index + 1} ended: ${failure}; again in ${formatDuration(pause / 1000)}`);
      await wait(pause, stopping.signal);
    }
  };

  const keeping = Array.from({ length: count }, (_, index) => keep(index));
  return {
    async stop() {
      stopping.abort();
      await Promise.all([...living].map((program) => program.stop()));
      await Promise.all(keeping);
    },
  };
}
