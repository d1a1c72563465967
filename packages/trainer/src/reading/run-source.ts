import { isRecord } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";

/** Read access to the files of a run folder. */
export interface RunSource {
  /** Null where there is no such plain file. `ino` is another one where another file took its name. */
  stat(name: string): Promise<{ readonly size: number; readonly mtimeMs: number; readonly ino?: number } | null>;
  /** So many bytes from a place, or as many as there are; null where the file cannot be read. */
  bytes(name: string, from: number, length: number): Promise<Uint8Array | null>;
  /** Whether a folder stands where a file of this name should. */
  isFolder?(name: string): Promise<boolean>;
}

export type LivingProcesses = Pick<ProcessTable, "host" | "isAlive">;

/** Small files are read up to here. */
const maxBytes = 8 << 20;

/** Memory of a parsed file or row: who reads many runs has a bounded heap, and a thread beyond its own ends the process. */
const maxParsedBytes = 128 << 20;

/** Whether a process holds the run. One of another machine cannot be seen from here, and counts as alive. */
export async function isRunHeld(source: RunSource, { host, isAlive }: LivingProcesses): Promise<boolean> {
  const holder = recordIn(parsed(await textIn(source, "LOCK")));
  const pid = holder?.["pid"];
  return typeof pid === "number" && (holder?.["host"] !== host || isAlive(pid));
}

/** Text of a file; null for a missing file, and one above the limit. */
export async function textIn(source: RunSource, name: string, most: number = maxBytes): Promise<string | null> {
  const found = await source.stat(name);
  if (!found || found.size > most) return null;
  const bytes = await source.bytes(name, 0, found.size);
  return bytes && new TextDecoder().decode(bytes);
}

/** Whole rows of a small file. */
export function rowsIn(text: string | null): Readonly<Record<string, unknown>>[] {
  return (text ?? "").split("\n").flatMap((line) => {
    const row = recordIn(parsed(line));
    return row ? [row] : [];
  });
}

/** Undefined for what is not JSON, or too deep or too large to be parsed safely. */
export function parsed(text: string | null): unknown {
  return text === null ? undefined : tryParseJson(text, { maxBytes: maxParsedBytes });
}

export function recordIn(value: unknown): Readonly<Record<string, unknown>> | null {
  return isRecord(value) ? value : null;
}

/** Processes that may hold a run directory; injected for tests. */
export interface ProcessTable {
  readonly pid: number;
  readonly host: string;
  isAlive(pid: number): boolean;
}
