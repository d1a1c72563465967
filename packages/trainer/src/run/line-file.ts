import type { FileSystem } from "@laconic/core/files";

/**
 * Appends whole lines to a file. What a write that failed, or a process that was killed, left torn is cut off before the next one: no line
 * is written behind half of another, and one that was refused is not there.
 */
export class LineFile {
  readonly #fs: FileSystem;
  readonly #path: string;
  /** Where whole lines end; null behind a write that succeeded. */
  #wholeEnd: ((size: number) => Promise<number>) | null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(fs: FileSystem, path: string) {
    this.#fs = fs;
    this.#path = path;
    this.#wholeEnd = (size) => endOfLines(fs, path, size);
  }

  /** In the order of the calls, each on disk when it resolves. @throws what the file system throws */
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

const pieceBytes = 1 << 16;
const lineEnd = 10;

/** Bytes up to the last end of a line. */
async function endOfLines(fs: FileSystem, path: string, size: number): Promise<number> {
  for (let to = size; to > 0; to -= pieceBytes) {
    const from = Math.max(0, to - pieceBytes);
    const at = (await fs.readPart(path, from, to - from)).lastIndexOf(lineEnd);
    if (at >= 0) return from + at + 1;
  }
  return 0;
}
