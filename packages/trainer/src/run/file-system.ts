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

async function endOfLines(fs: FileSystem, path: string, size: number): Promise<number> {
  for (let to = size; to > 0; to -= endBytes) {
    const from = Math.max(0, to - endBytes);
    const index = (await fs.readPart(path, from, to - from)).lastIndexOf(lineEnd);
    if (index >= 0) return from + index + 1;
  }
  return 0;
}
