import { spawn } from "node:child_process";
import { endProcessTree, systemOf } from "@laconic/core/platform";

/** What a program came to. */
export interface Outcome {
  /** Null when it could not be started. */
  readonly code: number | null;
  /** Standard output and error. */
  readonly text: string;
}

/** Runs a program, never through a shell; tests pass their own. */
export type RunCommand = (
  program: string,
  args: readonly string[],
  options?: {
    readonly folder?: string;
    readonly environment?: Readonly<Record<string, string>>;
    /** Ends the program, and what it has started. */
    readonly signal?: AbortSignal;
  },
) => Promise<Outcome>;

/** Runs a program without a shell and collects what it prints. One that cannot start has the code null. */
export const runCommand: RunCommand = (program, args, { folder, environment = {}, signal } = {}) =>
  new Promise((resolve) => {
    const child = spawn(program, [...args], {
      // A group of its own, where somebody is to end it whole: a build has children.
      detached: signal !== undefined && systemOf(process.platform).hasGroups,
      ...(folder !== undefined && { cwd: folder }),
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const kill = (): void => {
      if (child.pid !== undefined) endProcessTree(child.pid);
    };
    if (signal?.aborted) kill();
    signal?.addEventListener("abort", kill, { once: true });
    let text = "";
    const add = (piece: Buffer): void => void (text += piece.toString());
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    child.on("error", (error) => resolve({ code: null, text: error.message }));
    child.on("close", (code) => {
      signal?.removeEventListener("abort", kill);
      resolve({ code: code ?? 1, text });
    });
  });
