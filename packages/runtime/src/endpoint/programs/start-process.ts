import { spawn, type ChildProcess } from "node:child_process";
import { endProcessTree, systemOf } from "@laconic/core/platform";
import type { StartedProgram, StartProgram } from "./keep-running.ts";

/** What a program's processes are told. */
export interface ProcessOptions {
  /** Program and words, run without a shell. */
  readonly command: readonly [program: string, ...words: string[]];
  /** Beside that of this process. */
  readonly environment: (index: number, attempt: number) => Readonly<Record<string, string>>;
  /** For what it says; lines by program. */
  readonly say: (index: number, line: string) => void;
}

/** From being asked to end until it is ended. */
const graceMs = 3000;

/** Of what a program says last, for the reason of its death. */
const maxLastBytes = 500;

/** Starts processes of this machine, each the leader of a group, so that what it starts ends with it. */
export function startProcess({ command: [program, ...words], environment, say }: ProcessOptions): StartProgram {
  const { hasGroups } = systemOf(process.platform);
  return async (index, attempt) => {
    const child = spawn(program, words, {
      detached: hasGroups,
      env: { ...process.env, ...environment(index, attempt) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const lastSaid = linesOf(child, (line) => say(index, line));
    // Whatever ends this process ends the program too.
    const end = (): void => {
      if (child.pid !== undefined) endProcessTree(child.pid);
    };
    process.on("exit", end);
    let isStopped = false;
    const ended = new Promise<string | null>((resolve) => {
      child.on("error", (error) => resolve(`${program} cannot be started: ${error.message}`));
      child.on("close", (code, signal) => {
        const how = signal === null ? `exit code ${code}` : signal;
        resolve(code === 0 || isStopped ? null : [how, lastSaid()].filter((each) => each !== "").join(": "));
      });
    }).finally(() => process.off("exit", end));
    return {
      ended,
      async stop() {
        isStopped = true;
        ask(child, hasGroups);
        const timer = setTimeout(end, graceMs);
        await ended;
        clearTimeout(timer);
        end(); // what the program left behind
      },
    } satisfies StartedProgram;
  };
}

function ask({ pid }: ChildProcess, hasGroups: boolean): void {
  if (pid === undefined) return;
  try {
    process.kill(hasGroups ? -pid : pid, "SIGTERM");
  } catch {
    // It has ended by itself.
  }
}

/** @returns what was said last */
function linesOf(child: ChildProcess, say: (line: string) => void): () => string {
  let last = "";
  for (const stream of [child.stdout, child.stderr]) {
    let rest = "";
    stream?.setEncoding("utf8").on("data", (piece: string) => {
      const lines = (rest + piece).split("\n");
      rest = (lines.pop() ?? "").slice(-maxLastBytes);
      for (const line of lines.filter((each) => each.trim() !== "")) {
        last = line.slice(0, maxLastBytes);
        say(last);
      }
    });
  }
  return () => last;
}
