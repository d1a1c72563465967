import { visibleJson, type Terminal } from "./terminal.ts";

export interface SaidError {
  /** A `LaconicErrorCode`, `usage`, a system code such as `ENOENT`, or `unexpected`. */
  readonly code: string;
  readonly message: string;
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}

/** Prints an error; `json` also writes `{"error": …}` to standard output, which is then always JSON. */
export function sayError(error: SaidError, terminal: Terminal, json: boolean, shown: string = error.message): void {
  if (json) terminal.result(visibleJson({ error: { ...error, message: clipped(error.message) } }));
  terminal.note(`${terminal.paint("red", "laconic:")} ${clipped(shown)}`);
}

const longest = 1000;

/** Shortens long names that would hide the message. */
export function clipped(message: string): string {
  const short = message.replaceAll(/\S{200,}/gu, (word) => `${word.slice(0, 80)}…${word.slice(-40)}`);
  return short.length <= longest ? short : `${short.slice(0, longest)}…`;
}
