import { spawn } from "node:child_process";

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
  options?: { readonly folder?: string; readonly environment?: Readonly<Record<string, string>> },
) => Promise<Outcome>;

/** Runs a program without a shell and collects what it prints. One that cannot start has the code null. */
export const runCommand: RunCommand = (program, args, { folder, environment = {} } = {}) =>
  new Promise((resolve) => {
    const child = spawn(program, [...args], {
      ...(folder !== undefined && { cwd: folder }),
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    const add = (piece: Buffer): void => void (text += piece.toString());
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    child.on("error", (error) => resolve({ code: null, text: error.message }));
    child.on("close", (code) => resolve({ code: code ?? 1, text }));
  });
