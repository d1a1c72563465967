import { LaconicError, type LaconicErrorCode } from "@laconic/core";
import { clipped } from "./clipped.ts";
import type { Terminal } from "./terminal.ts";

/** Codes by which Laconic refuses a request, as opposed to failing at it. */
const refusals: ReadonlySet<LaconicErrorCode> = new Set([
  "config_invalid",
  "data_invalid",
  "run_exists",
  "run_missing",
  "run_locked",
  "checkpoint_missing",
  "checkpoint_mismatch",
  "device_unavailable",
  "model_unsupported",
]);

/** Prints an error as one line a user can act on; returns the exit code, 2 for a refusal and 1 for a failure. */
export function reportError(error: unknown, terminal: Terminal): number {
  const label = terminal.paint("red", "laconic:");
  if (LaconicError.is(error)) {
    terminal.note(`${label} ${clipped(error.message)}`);
    return refusals.has(error.code) ? 2 : 1;
  }
  const system = systemFailure(error);
  if (system !== null) {
    terminal.note(`${label} ${clipped(system)}`);
    return 1;
  }
  // Anything else is a defect of ours: the stack is what a bug report needs.
  terminal.note(`${label} unexpected error`);
  terminal.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}

/** What the system refused, as it says it: `cannot open notes.txt: no such file or directory (ENOENT)`. */
function systemFailure(error: unknown): string | null {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return null;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const reason = /^\w+: ([^,]+)/.exec(error.message)?.[1] ?? error.message;
  return `cannot ${syscall ?? "go on"}${path === undefined ? "" : ` ${path}`}: ${reason} (${code})`;
}
