import type { UnknownRecord } from "@laconic/core";
import type { FileSystem } from "@laconic/core/files";
import type { ReadAt } from "@laconic/core/run-folder";

/** Replaces a file by a rename. A kill leaves the old or the new file. */
export async function replaceFile(fs: FileSystem, path: string, data: string): Promise<void> {
  await fs.write(`${path}.tmp`, data);
  await fs.rename(`${path}.tmp`, path);
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
  for (let index = from; index < to;) {
    const piece = await read(index, Math.min(pieceBytes, to - index));
    if (piece === null || piece.length === 0) return;
    yield piece;
    index += piece.length;
  }
}

/**
 * Appends whole lines to a file, in call order; resolves when they are on disk. Torn text of a failed write or a kill is
 * cut off before the next write.
 */
export function lineAppender(fs: FileSystem, path: string): (lines: string) => Promise<void> {
  /** End of the complete lines; null after a successful write. */
  let wholeEnd: ((size: number) => Promise<number>) | null = (size) => endOfLines(fs, path, size);
  let last: Promise<unknown> = Promise.resolve();
  const append = async (lines: string): Promise<void> => {
    const size = (await fs.exists(path)) ? await fs.size(path) : 0;
    const end = Math.min(size, (await wholeEnd?.(size)) ?? size);
    if (end < size) await fs.truncate(path, end);
    wholeEnd = () => Promise.resolve(end);
    await fs.append(path, lines);
    wholeEnd = null;
  };
  return (lines) => {
    const written = last.then(() => append(lines));
    last = written.catch(() => undefined);
    return written;
  };
}

const endBytes = 1 << 16;
const lineEnd = 10;

async function endOfLines(fs: FileSystem, path: string, size: number): Promise<number> {
  for (let to = size; to > 0; to -= endBytes) {
    const from = Math.max(0, to - endBytes);
    const index = (await fs.readPart(path, from, to - from)).lastIndexOf(lineEnd);
    if (index >= 0) return from + index + 1;
  }
  return 0;
}
