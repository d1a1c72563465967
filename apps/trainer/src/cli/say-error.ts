import type { Terminal } from "./terminal.ts";
import { visibleJson } from "./visible-json.ts";

/** An error as `--json` prints it. */
export interface SaidError {
  /** Of `LaconicErrorCode`; `usage`; the system's own, such as `ENOENT`; or `unexpected`. */
  readonly code: string;
  readonly message: string;
  /** What the message names, by name. */
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}

/**
 * An error as one line on standard error. With `json` standard output has `{"error": …}` where the result would stand, so that
 * whoever parses it always finds JSON.
 */
export function sayError(error: SaidError, terminal: Terminal, json: boolean, shown: string = error.message): void {
  if (json) terminal.result(visibleJson({ error: { ...error, message: clipped(error.message) } }));
  terminal.note(`${terminal.paint("red", "laconic:")} ${clipped(shown)}`);
}

const longest = 1000;

/** A message in which a name of a megabyte does not hide the rest. */
export function clipped(message: string): string {
  const short = message.replaceAll(/\S{200,}/gu, (word) => `${word.slice(0, 80)}…${word.slice(-40)}`);
  return short.length <= longest ? short : `${short.slice(0, longest)}…`;
}
