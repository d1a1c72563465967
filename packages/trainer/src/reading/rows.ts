import { parsed, recordIn, type RunSource } from "./run-source.ts";

/** Row of a JSON lines file. */
export type Row = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder();

/** Object of a line; null for other lines. */
export function rowOf(line: Uint8Array | string): Row | null {
  return recordIn(parsed(typeof line === "string" ? line : decoder.decode(line)));
}

/** Rows of a file of any length. Skips lines that are not JSON objects, exceed 64 MiB, or are half-written. */
export async function* eachRow(source: RunSource, name: string): AsyncGenerator<Row> {
  const file = new RowFile(source, name);
  for await (const batch of file.batches())
    for (const { bytes } of batch) {
      const row = rowOf(bytes);
      if (row) yield row;
    }
  // The last row may lack a line end.
  const size = (await source.stat(name))?.size ?? 0;
  if (file.rest === 0 || file.rest > maxRestBytes) return;
  const rest = await source.bytes(name, size - file.rest, file.rest);
  const last = rest && rowOf(rest);
  if (last) yield last;
}

/** Max bytes of such a row. */
const maxRestBytes = 8 << 20;

/** Reads the rows of a JSON lines file. */
export async function readRows(source: RunSource, name: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of eachRow(source, name)) rows.push(row);
  return rows;
}

/** Byte range without the line end. */
export interface RowPlace {
  readonly from: number;
  readonly length: number;
}

/** Bytes of a row with its number and place. */
export interface RowBytes {
  /** Valid until the next read. */
  readonly bytes: Uint8Array;
  /** Counts from 1. */
  readonly number: number;
  readonly place: RowPlace;
}

/** Receives the rows of a file. */
export interface RowReader {
  /** The file was replaced or cut; reading restarts. */
  reset(): void;
  /** `bytes` are valid until the next read. */
  row(bytes: Uint8Array, place: RowPlace): void;
}

const pieceBytes = 1 << 20;

/** Longer rows are skipped with a message. */
const maxRowBytes = 64 << 20;

/** Reads each complete line of a growing file once. */
export class RowFile {
  readonly #source: RunSource;
  readonly name: string;
  #inode = 0;
  /** Bytes read so far. */
  #at = 0;
  /** Bytes after the last complete row. */
  rest = 0;
  rows = 0;
  #counted = 0;
  /** Whether the last read reached the end. */
  isWhole = false;
  tooLong: string | null = null;

  constructor(source: RunSource, name: string) {
    this.#source = source;
    this.name = name;
  }

  /**
   * Reads new rows.
   * @param maxBytes - approximate; `isWhole` is false if more is left
   * @returns whether there was anything
   */
  async readNew(reader: RowReader, maxBytes: number = Infinity): Promise<boolean> {
    let isOther = false;
    let before = this.#at;
    const reset = (): void => {
      isOther = true;
      before = 0;
      reader.reset();
    };
    this.isWhole = true;
    for await (const batch of this.batches(reset)) {
      for (const { bytes, number, place } of batch) {
        this.rows = number;
        reader.row(bytes, place);
      }
      if (this.#at - before < maxBytes) continue;
      this.isWhole = false;
      break;
    }
    return isOther || this.#at > before;
  }

  /** New rows, one batch per read. @param reset - called first if the file was replaced */
  async *batches(reset: () => void = () => undefined): AsyncGenerator<readonly RowBytes[]> {
    const found = await this.#source.stat(this.name);
    const { size = 0, ino = 0 } = found ?? {};
    if (this.#at > 0 && (!found || ino !== this.#inode || size < this.#at)) {
      [this.#at, this.rest, this.rows, this.#counted, this.tooLong] = [0, 0, 0, 0, null];
      reset();
    }
    if (!found) return;
    this.#inode = ino;
    let length = Math.min(pieceBytes, size - this.#at);
    while (this.#at < size) {
      const piece = await this.#source.bytes(this.name, this.#at, Math.min(length, size - this.#at));
      if (piece === null || piece.length === 0) break;
      const rows = this.#rowsIn(piece);
      if (rows !== null) yield rows;
      else if (this.#at + piece.length >= size) break; // half-written
      else if (length >= maxRowBytes) await this.#passOver(size);
      else length = Math.min(maxRowBytes, 4 * length);
    }
    this.rest = Math.max(0, size - this.#at);
  }

  /** Returns null if no row ends in the piece. */
  #rowsIn(piece: Uint8Array): RowBytes[] | null {
    const found: RowBytes[] = [];
    let used = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, used)) {
      if (end > used) {
        this.#counted++;
        const number = this.#counted;
        found.push({ bytes: piece.subarray(used, end), number, place: { from: this.#at + used, length: end - used } });
      }
      used = end + 1;
    }
    this.#at += used;
    return used === 0 ? null : found;
  }

  async #passOver(size: number): Promise<void> {
    const start = this.#at;
    for (let at = start; at < size; at += pieceBytes) {
      const piece = await this.#source.bytes(this.name, at, Math.min(pieceBytes, size - at));
      if (piece === null || piece.length === 0) break;
      const end = piece.indexOf(10);
      if (end < 0) continue;
      this.#at = at + end + 1;
      this.rows = ++this.#counted;
      this.tooLong ??= `${this.name}: row ${this.rows} has ${this.#at - start} bytes and was passed over`;
      return;
    }
    this.#at = size; // its remainder is not a row either
  }
}
