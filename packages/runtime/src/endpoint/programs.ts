import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { endProcessTree, systemOf } from "@laconic/core/platform";
import { formatDuration } from "@laconic/core/text";
import { thrownText } from "@laconic/core";

/** Programs that play the rollouts of a training endpoint, kept running as long as it trains. */
export interface ProgramSettings {
  /** How many at once. */
  readonly count: number;
  /** Run without a shell. */
  readonly command: readonly [program: string, ...words: string[]];
}

interface ProgramContext extends Pick<KeepOptions, "warn" | "allGaveUp"> {
  /** Of the endpoint, without a path. */
  readonly url: string;
  /** Null where the endpoint takes everybody. */
  readonly apiKey: string | null;
  /** Hears the lines that programs print. */
  readonly say: (line: string) => void;
}

/** A program that plays rollouts, while it lives. */
export interface StartedProgram {
  /** Null where it ended well; else the reason. */
  readonly ended: Promise<string | null>;
  /** Asks it to end, ends it when it does not, and resolves when it has. */
  stop(): Promise<void>;
}

interface KeepOptions {
  readonly count: number;
  /**
   * @param index - from 0 to `count - 1`
   * @throws Error for a program that cannot be started
   */
  readonly start: (index: number) => Promise<StartedProgram> | StartedProgram;
  readonly warn: (message: string) => void;
  /** Called once, when each program has failed {@link maxFailures} times in a row. */
  readonly allGaveUp: (reason: string) => void;
  /** Waits; ends early when the signal aborts. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly now?: () => number;
}

/** Before the first restart; doubled with each failure in a row. */
const firstWaitMs = 1000;
const maxWaitMs = 60_000;

/** A program that lived so long has not failed in a row. */
const provenMs = 60_000;

/** Failures in a row after which a program is given up: four minutes of waiting. */
const maxFailures = 8;

/** From SIGTERM until SIGKILL. */
const graceMs = 3000;

/** Of the last line, which is the reason of a program's death. */
const maxLineLength = 500;

/**
 * Starts the programs, and restarts those that end. A process gets the endpoint by its environment: `LACONIC_URL`,
 * `OPENAI_BASE_URL` (with `/v1`), its number as `LACONIC_PROGRAM`, and the key as `LACONIC_API_KEY` and `OPENAI_API_KEY`.
 * @returns what ends them all
 */
export function openPrograms(
  { count, command }: ProgramSettings,
  { url, apiKey, say, ...heard }: ProgramContext,
): () => Promise<void> {
  const environment = {
    LACONIC_URL: url,
    OPENAI_BASE_URL: `${url}/v1`,
    // OpenAI's clients refuse to begin without a key.
    OPENAI_API_KEY: apiKey ?? "none",
    ...(apiKey !== null && { LACONIC_API_KEY: apiKey }),
  };
  const start = (index: number): StartedProgram =>
    startProcess(command, { ...environment, LACONIC_PROGRAM: String(index) }, (line) =>
      say(`program ${index + 1}: ${line}`),
    );
  const programs = keepRunning({ count, start, ...heard });
  return () => programs.stop();
}

/**
 * Keeps so many programs running: one that ends is started again, at once where it ended well, else after a wait that doubles.
 * @returns what ends them all
 */
export function keepRunning(options: KeepOptions): { stop(): Promise<void> } {
  const { count, start, warn, allGaveUp, wait = waitFor, now = () => performance.now() } = options;
  const stopping = new AbortController();
  const living = new Set<StartedProgram>();
  let gaveUp = 0;

  const failureOf = async (index: number): Promise<string | null> => {
    let program: StartedProgram;
    try {
      program = await start(index);
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
    while (!stopping.signal.aborted) {
      const since = now();
      const failure = await failureOf(index);
      if (stopping.signal.aborted) return;
      const lived = now() - since;
      failures = failure === null ? 0 : lived >= provenMs ? 1 : failures + 1;
      if (failures >= maxFailures) {
        warn(`program ${index + 1} failed ${failures} times in a row and is given up: ${failure}`);
        gaveUp += 1;
        if (gaveUp === count) allGaveUp(failure ?? "");
        return;
      }
      // A program that ends well at once would else be started without end.
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

function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** A process of this machine, the leader of a group, so that what it starts ends with it. */
function startProcess(
  [program, ...words]: ProgramSettings["command"],
  environment: Readonly<Record<string, string>>,
  say: (line: string) => void,
): StartedProgram {
  const { hasGroups } = systemOf(process.platform);
  const child = spawn(program, words, {
    detached: hasGroups,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lastLine = linesOf(child, say);
  // When this process ends, the program ends too.
  const end = (): void => {
    if (child.pid !== undefined) endProcessTree(child.pid);
  };
  process.on("exit", end);
  let isStopped = false;
  const ended = new Promise<string | null>((resolve) => {
    child.on("error", (error) => resolve(`${program} cannot be started: ${error.message}`));
    child.on("close", (code, signal) => {
      const how = signal === null ? `exit code ${code}` : signal;
      resolve(code === 0 || isStopped ? null : [how, lastLine()].filter((each) => each !== "").join(": "));
    });
  }).finally(() => process.off("exit", end));
  return {
    ended,
    async stop() {
      isStopped = true;
      try {
        if (child.pid !== undefined) process.kill(hasGroups ? -child.pid : child.pid, "SIGTERM");
      } catch {
        // It has ended by itself.
      }
      const timer = setTimeout(end, graceMs);
      await ended;
      clearTimeout(timer);
      end(); // what the program left behind
    },
  };
}

/** @returns the last line so far */
function linesOf(child: ChildProcess, say: (line: string) => void): () => string {
  let last = "";
  for (const stream of [child.stdout, child.stderr]) {
    let rest = "";
    stream?.setEncoding("utf8").on("data", (piece: string) => {
      const lines = (rest + piece).split("\n");
      rest = (lines.pop() ?? "").slice(-maxLineLength);
      for (const line of lines.filter((each) => each.trim() !== "")) {
        last = line.slice(0, maxLineLength);
        say(last);
      }
    });
  }
  return () => last;
}
