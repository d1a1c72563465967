import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { endProcessTree, systemOf } from "@laconic/core/platform";
import { formatDuration } from "@laconic/core/text";
import { thrownText } from "@laconic/core";

export interface ProgramSettings {
  readonly count: number;
  /** Runs without a shell. */
  readonly command: readonly [program: string, ...words: string[]];
}

interface ProgramContext extends Pick<KeepOptions, "warn" | "allGaveUp"> {
  /** Endpoint URL without a path. */
  readonly url: string;
  /** Key; null if the endpoint needs none. */
  readonly apiKey: string | null;
  readonly say: (line: string) => void;
}

export interface StartedProgram {
  /** Reason of a failure, or null after success. */
  readonly ended: Promise<string | null>;
  /** Sends SIGTERM, then SIGKILL; resolves at the end. */
  stop(): Promise<void>;
}

interface KeepOptions {
  readonly count: number;
  /** @param index - from 0 to `count - 1` @throws Error for a program that cannot be started */
  readonly start: (index: number) => Promise<StartedProgram> | StartedProgram;
  readonly warn: (message: string) => void;
  /** Called once, when each program has failed {@link maxFailures} times in a row. */
  readonly allGaveUp: (reason: string) => void;
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly now?: () => number;
}

/** Doubles with each failure in a row. */
const firstWaitMs = 1000;
const maxWaitMs = 60_000;

/** Run time that resets the failure count. */
const provenMs = 60_000;

/** Failures in a row before giving up, about four minutes. */
const maxFailures = 8;

/** Time from SIGTERM to SIGKILL. */
const graceMs = 3000;

const maxLineLength = 500;

/**
 * Starts the programs and restarts ended ones. Their environment has `LACONIC_URL`, `OPENAI_BASE_URL` (with `/v1`),
 * their number as `LACONIC_PROGRAM`, and the key as `LACONIC_API_KEY` and `OPENAI_API_KEY`.
 * @returns stops all programs
 */
export function openPrograms(
  { count, command }: ProgramSettings,
  { url, apiKey, say, ...callbacks }: ProgramContext,
): () => Promise<void> {
  const environment = {
    LACONIC_URL: url,
    OPENAI_BASE_URL: `${url}/v1`,
    // OpenAI's clients require a key.
    OPENAI_API_KEY: apiKey ?? "none",
    ...(apiKey !== null && { LACONIC_API_KEY: apiKey }),
  };
  const start = (index: number): StartedProgram =>
    startProcess(command, { ...environment, LACONIC_PROGRAM: String(index) }, (line) =>
      say(`program ${index + 1}: ${line}`),
    );
  const programs = keepRunning({ count, start, ...callbacks });
  return () => programs.stop();
}

/** Keeps `count` programs running. The wait after failures doubles. @returns stops all programs */
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
        warn(`program ${index + 1} failed ${failures} times in a row and is not restarted: ${failure}`);
        gaveUp += 1;
        if (gaveUp === count) allGaveUp(failure ?? "");
        return;
      }
      // Limits restarts after immediate success.
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

/** Starts a group leader, so that its children end with it. */
function startProcess(
  [program, ...args]: ProgramSettings["command"],
  environment: Readonly<Record<string, string>>,
  say: (line: string) => void,
): StartedProgram {
  const { hasGroups } = systemOf(process.platform);
  const child = spawn(program, args, {
    detached: hasGroups,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lastLine = linesOf(child, say);
  const end = (): void => {
    if (child.pid !== undefined) endProcessTree(child.pid);
  };
  process.on("exit", end);
  let isStopped = false;
  const ended = new Promise<string | null>((resolve) => {
    child.on("error", (error) => resolve(`${program} cannot be started: ${error.message}`));
    child.on("close", (code, signal) => {
      const how = signal === null ? `exit code ${code}` : signal;
      resolve(code === 0 || isStopped ? null : [how, lastLine()].filter((text) => text !== "").join(": "));
    });
  }).finally(() => process.off("exit", end));
  return {
    ended,
    async stop() {
      isStopped = true;
      try {
        if (child.pid !== undefined) process.kill(hasGroups ? -child.pid : child.pid, "SIGTERM");
      } catch {
        // The process has already ended.
      }
      const timer = setTimeout(end, graceMs);
      await ended;
      clearTimeout(timer);
      end(); // ends remaining children
    },
  };
}

function linesOf(child: ChildProcess, say: (line: string) => void): () => string {
  let last = "";
  for (const stream of [child.stdout, child.stderr]) {
    let rest = "";
    stream?.setEncoding("utf8").on("data", (piece: string) => {
      const lines = (rest + piece).split("\n");
      rest = (lines.pop() ?? "").slice(-maxLineLength);
      for (const line of lines.filter((text) => text.trim() !== "")) {
        last = line.slice(0, maxLineLength);
        say(last);
      }
    });
  }
  return () => last;
}
