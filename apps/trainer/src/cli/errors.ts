import { LaconicError, thrownText, type ErrorDetail, type LaconicErrorCode } from "@laconic/core";
import { clipped, sayError } from "./say-error.ts";
import type { Terminal } from "./terminal.ts";

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

/**
 * Prints an error as a line, and with `json` also as an object.
 * @returns the exit code, 2 for a refusal and 1 for a failure
 */
export function reportError(error: unknown, terminal: Terminal, json: boolean): number {
  if (LaconicError.is(error)) {
    const { code, message, detail } = error;
    sayError(
      { code, message, ...(Object.keys(detail).length > 0 && { detail: clippedDetail(detail) }) },
      terminal,
      json,
    );
    return refusals.has(code) ? 2 : 1;
  }
  const system = systemFailure(error);
  if (system) sayError(system, terminal, json);
  else {
    sayError({ code: "unexpected", message: thrownText(error) }, terminal, json, "unexpected error");
    terminal.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return 1;
}

function clippedDetail(detail: ErrorDetail): ErrorDetail {
  return Object.fromEntries(
    Object.entries(detail).map(([key, value]) => [key, typeof value === "string" ? clipped(value) : value]),
  );
}

/** Text such as `cannot open notes.txt: no such file or directory (ENOENT)`. */
function systemFailure(error: unknown): { readonly code: string; readonly message: string } | null {
  // V8 has no code for lack of memory.
  if (error instanceof RangeError && /out of memory|allocat/iu.test(error.message))
    return { code: "ENOMEM", message: `not enough memory: ${error.message}` };
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return null;
  const { code = "system", syscall, path } = error as NodeJS.ErrnoException;
  const reason = /^\w+: ([^,]+)/.exec(error.message)?.[1] ?? error.message;
  return {
    code,
    message: `cannot ${syscall ?? "continue"}${path === undefined ? "" : ` ${path}`}: ${reason} (${code})${code === "EMFILE" ? '; "ulimit -n" raises the limit' : ""}`,
  };
}
