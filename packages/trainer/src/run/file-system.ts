import { LaconicError, type UnknownRecord } from "@laconic/core";
import { type FileSystem, linesIn } from "@laconic/core/files";
import type { ReadAt } from "@laconic/core/run-folder";
import { parsed, recordIn } from "../reading/run-source.ts";
import { absolutePath } from "#platform";

/** Replaces a file by a rename. A kill leaves the old or the new file. */
export async function replaceFile(fs: FileSystem, path: string, data: string): Promise<void> {
  await fs.write(`${path}.tmp`, data);
  await fs.rename(`${path}.tmp`, path);
}

/** System errors that the user can fix. */
const unwritable = new Set(["ENOSPC", "EROFS", "EDQUOT", "EACCES", "EPERM", "ENOTDIR", "EEXIST", "EIO"]);

/** Errors of existing files; callers check existence first. */
const unreadable = new Set(["EACCES", "EPERM", "EIO"]);

function explainReadError(error: unknown, path: string): unknown {
  const reason = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  if (!unreadable.has(reason)) return error;
  const message = `${path} cannot be read: ${(error as Error).message}; mend the cause and resume`;
  return new LaconicError("data_invalid", message, { path, reason }, error);
}

/** Adds the remedy to errors of writing, as `run_unwritable`; other errors stay unchanged. */
export function explainWriteError(error: unknown, directory: string): unknown {
  const isOurs = LaconicError.is(error) && error.code === "run_unwritable";
  if (!(error instanceof Error)) return error;
  const reason = !isOurs && "code" in error && typeof error.code === "string" ? error.code : null;
  if (!isOurs && (reason === null || !unwritable.has(reason))) return error;
  const message = isOurs ? error.message : `${directory} cannot be written: ${error.message}`;
  return new LaconicError(
    "run_unwritable",
    `${message}; what was saved before is whole: mend the cause and resume, or start again a run without a checkpoint`,
    { directory, ...(reason !== null && { reason }) },
    error,
  );
}

/** Wraps a file system so that errors name the run or file and the remedy. */
export function explainedFileSystem(fs: FileSystem, directory: string): FileSystem {
  const explained = <T>(done: Promise<T>): Promise<T> =>
    done.catch((error: unknown) => {
      throw explainWriteError(error, directory);
    });
  const readable = <T>(path: string, done: Promise<T>): Promise<T> =>
    done.catch((error: unknown) => {
      throw explainReadError(error, path);
    });
  return {
    makeDirectory: (path) => explained(fs.makeDirectory(path)),
    exists: (path) => readable(path, fs.exists(path)),
    list: (path) => readable(path, fs.list(path)),
    read: (path) => readable(path, fs.read(path)),
    size: (path) => readable(path, fs.size(path)),
    readPart: (path, from, length) => readable(path, fs.readPart(path, from, length)),
    digest: (path) => readable(path, fs.digest(path)),
    write: (path, data) => explained(fs.write(path, data)),
    append: (path, data) => explained(fs.append(path, data)),
    truncate: (path, bytes) => explained(fs.truncate(path, bytes)),
    rename: (from, to) => explained(fs.rename(from, to)),
    syncFile: (path) => explained(fs.syncFile(path)),
    syncDirectory: (path) => explained(fs.syncDirectory(path)),
    remove: (path) => explained(fs.remove(path)),
  };
}

/** JSON line. Numbers outside JSON become null, with their keys under `nonfinite`. */
export function toLine(row: UnknownRecord): string {
  const nonfinite = Object.keys(row).filter((key) => typeof row[key] === "number" && !Number.isFinite(row[key]));
  return `${JSON.stringify(nonfinite.length > 0 ? { ...row, nonfinite } : row)}\n`;
}

const pieceBytes = 1 << 20;

/** Reads a file in pieces. */
export function piecesOf(fs: FileSystem, path: string): AsyncGenerator<Uint8Array> {
  return piecesBy((from, length) => fs.readPart(path, from, length));
}

export async function* piecesBy(read: ReadAt, from: number = 0, to: number = Infinity): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to;) {
    const piece = await read(at, Math.min(pieceBytes, to - at));
    if (piece === null || piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}

const decoder = new TextDecoder();

/** Returns null for lines other than JSON objects. */
export function rowIn(line: Uint8Array | null): UnknownRecord | null {
  return line && recordIn(parsed(decoder.decode(line)));
}

/** Yields the rows of a file; other lines are skipped. */
export async function* eachLine(fs: FileSystem, path: string): AsyncGenerator<UnknownRecord> {
  if (!(await fs.exists(path))) return;
  for await (const line of linesIn(piecesOf(fs, path))) {
    const row = rowIn(line);
    if (row) yield row;
  }
}

/** All rows of a small file. */
export async function readLines(fs: FileSystem, path: string): Promise<UnknownRecord[]> {
  const rows: UnknownRecord[] = [];
  for await (const row of eachLine(fs, path)) rows.push(row);
  return rows;
}

/** First or last row; null without rows. */
export async function lineAt(fs: FileSystem, path: string, place: "first" | "last"): Promise<UnknownRecord | null> {
  let found: UnknownRecord | null = null;
  for await (const row of eachLine(fs, path)) {
    found = row;
    if (place === "first") break;
  }
  return found;
}

/** Appends whole lines. Torn text of a failed write or a kill is cut off before the next write. */
export class LineFile {
  readonly #fs: FileSystem;
  readonly #path: string;
  /** End of the complete lines; null after a successful write. */
  #wholeEnd: ((size: number) => Promise<number>) | null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(fs: FileSystem, path: string) {
    this.#fs = fs;
    this.#path = path;
    this.#wholeEnd = (size) => endOfLines(fs, path, size);
  }

  /** Keeps call order; resolves when the lines are on disk. */
  append(lines: string): Promise<void> {
    const written = this.#last.then(() => this.#append(lines));
    this.#last = written.catch(() => undefined);
    return written;
  }

  async #append(lines: string): Promise<void> {
    const [fs, path] = [this.#fs, this.#path];
    const size = (await fs.exists(path)) ? await fs.size(path) : 0;
    const end = Math.min(size, (await this.#wholeEnd?.(size)) ?? size);
    if (end < size) await fs.truncate(path, end);
    this.#wholeEnd = () => Promise.resolve(end);
    await fs.append(path, lines);
    this.#wholeEnd = null;
  }
}

const endBytes = 1 << 16;
const lineEnd = 10;

/** Bytes up to the last line end. */
async function endOfLines(fs: FileSystem, path: string, size: number): Promise<number> {
  for (let to = size; to > 0; to -= endBytes) {
    const from = Math.max(0, to - endBytes);
    const at = (await fs.readPart(path, from, to - from)).lastIndexOf(lineEnd);
    if (at >= 0) return from + at + 1;
  }
  return 0;
}

export function lastOf(directory: string): string {
  return (
    absolutePath(directory)
      .split(/[\\/]/u)
      .findLast((part) => part !== "") ?? directory
  );
}
