import { isRecord, type UnknownRecord } from "@laconic/core";
import { joinPath, type FileSystem } from "@laconic/core/files";
import { tryParseJson } from "@laconic/core/json";
import { isFolder, readPart, statFile } from "#platform";

/** Read access to a run folder. */
export interface RunSource {
  /** Returns null for missing files and folders; `ino` changes with the file. */
  stat(name: string): Promise<{ readonly size: number; readonly mtimeMs: number; readonly ino?: number } | null>;
  /** Up to `length` bytes; null if unreadable. */
  bytes(name: string, from: number, length: number): Promise<Uint8Array | null>;
  isFolder?(name: string): Promise<boolean>;
}

/** A local run folder. Links are followed. */
export function folderSource(folder: string): RunSource {
  return {
    stat: (name) => statFile(joinPath(folder, name)),
    bytes: (name, from, length) => readPart(joinPath(folder, name), from, length),
    isFolder: (name) => isFolder(joinPath(folder, name)),
  };
}

/** Reads a run folder through a file system. */
export function fileSystemSource(fs: FileSystem, folder: string): RunSource {
  const path = (name: string): string => joinPath(folder, name);
  return {
    stat: async (name) => ((await fs.exists(path(name))) ? { size: await fs.size(path(name)), mtimeMs: 0 } : null),
    bytes: (name, from, length) => fs.readPart(path(name), from, length),
  };
}

/** Tells which processes are alive. */
export type LivingProcesses = Pick<ProcessTable, "host" | "isAlive">;

const maxBytes = 8 << 20;

/** Max memory of a parsed file: exceeding the heap would end the process. */
const maxParsedBytes = 128 << 20;

/** Whether a process holds the run. Processes of other machines count as alive. */
export async function isRunHeld(source: RunSource, { host, isAlive }: LivingProcesses): Promise<boolean> {
  const holder = recordIn(parsed(await textIn(source, "LOCK")));
  const pid = holder?.["pid"];
  return typeof pid === "number" && (holder?.["host"] !== host || isAlive(pid));
}

/** Returns null if missing or above the limit. */
export async function textIn(source: RunSource, name: string): Promise<string | null> {
  const match = await source.stat(name);
  if (!match || match.size > maxBytes) return null;
  const bytes = await source.bytes(name, 0, match.size);
  return bytes && new TextDecoder().decode(bytes);
}

export function rowsIn(text: string | null): UnknownRecord[] {
  return (text ?? "").split("\n").flatMap((line) => {
    const row = recordIn(parsed(line));
    return row ? [row] : [];
  });
}

/** Returns undefined for JSON that is invalid, too deep or too large. */
export function parsed(text: string | null): unknown {
  return text === null ? undefined : tryParseJson(text, { maxBytes: maxParsedBytes });
}

export function recordIn(value: unknown): UnknownRecord | null {
  return isRecord(value) ? value : null;
}

export interface ProcessTable {
  readonly pid: number;
  readonly host: string;
  isAlive(pid: number): boolean;
}
