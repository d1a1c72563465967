import { LaconicError } from "@laconic/core";
import type { Sandbox } from "./sandbox.ts";

/** Output and error; null without one. */
export interface ProgramRun {
  readonly output: string;
  readonly error: string | null;
}

/**
 * Runs model-written programs, each in its own interpreter. Program failures are values; machine failures throw
 * `engine_failed`.
 */
export function programRunner(sandbox: Sandbox): (program: string) => Promise<ProgramRun> {
  const max = sandbox.record.limits.inputBytes;
  return async (program) => {
    if (Buffer.byteLength(program) > max) return { output: "", error: `the program is longer than ${max} bytes` };
    const { status, stdout, stderr } = await sandbox.run({ code: program, seconds: 3 });
    if (status === "undecided" || status === "aborted")
      throw new LaconicError("engine_failed", `a program was not run: ${stderr.slice(0, 200) || status}`);
    const lastLine = stderr.trim().split("\n").at(-1) ?? "";
    return { output: stdout, error: status === "ok" ? null : lastLine || status };
  };
}
