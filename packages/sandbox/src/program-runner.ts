import { LaconicError } from "@laconic/core";
import type { Sandbox } from "./sandbox.ts";

/** What a program printed, and what went wrong: null when nothing did. */
export interface ProgramRun {
  readonly output: string;
  readonly error: string | null;
}

const secondsPerProgram = 3;

/**
 * Runs programs for a method that has models write them, each in an interpreter of its own. However a program ends is a value; only
 * the machine's failures are thrown, so that no team is blamed for them.
 * @returns a function that rejects with LaconicError `engine_failed` where the sandbox could not run the program
 */
export function programRunner(sandbox: Sandbox): (program: string) => Promise<ProgramRun> {
  const max = sandbox.record.limits.inputBytes;
  return async (program) => {
    if (Buffer.byteLength(program) > max) return { output: "", error: `the program is longer than ${max} bytes` };
    const { status, stdout, stderr } = await sandbox.run({ code: program, seconds: secondsPerProgram });
    if (status === "undecided" || status === "aborted")
      throw new LaconicError("engine_failed", `a program was not run: ${stderr.slice(0, 200) || status}`);
    const lastLine = stderr.trim().split("\n").at(-1) ?? "";
    return { output: stdout, error: status === "ok" ? null : lastLine || status };
  };
}
