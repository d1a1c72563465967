import { parsed, recordIn, type RunSource } from "./run-source.ts";

export type Row = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder();

/** The object of a line; null for a line that is torn, not JSON, or not an object. */
export function rowOf(line: Uint8Array | string): Row | null {
  return recordIn(parsed(typeof line === "string" ? line : decoder.decode(line)));
}

/**
 * Rows of a file one after the other, whatever its length. What is no row is passed over: a line that is no object of JSON, one
 * of more than 64 MiB, a last one of which half is written. None where there is no file.
 */
export async function* eachRow(source: RunSource, name: string): AsyncGenerator<Row> {
  const file = new RowFile(source, name);
  for await (const batch of file.batches())
    for (const { bytes } of batch) {
      const row = rowOf(bytes);
      if (row) yield row;
    }
  // A last row that lacks its end alone is whole.
  const size = (await source.stat(name))?.size ?? 0;
  if (file.rest === 0 || file.rest > maxRestBytes) return;
  const rest = await source.bytes(name, size - file.rest, file.rest);
  const last = rest && rowOf(rest);
  if (last) yield last;
}

/** A larger rest is skipped. */
const maxRestBytes = 8 << 20;

export async function readRows(source: RunSource, name: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of eachRow(source, name)) rows.push(row);
  return rows;
}

/** Place of a row in its file in bytes, without its end. */
export interface RowPlace {
  readonly from: number;
  readonly length: number;
}

export interface RowBytes {
  /** Valid until the next read. */
  readonly bytes: Uint8Array;
  /** Counted from 1. */
  readonly number: number;
  readonly place: RowPlace;
}

export interface RowReader {
  /** The file was replaced or cut: everything is read again. */
  reset(): void;
  /** A whole row. Its bytes are valid until the next read. */
  row(bytes: Uint8Array, place: RowPlace): void;
}

const pieceBytes = 1 << 20;

/** Longer rows are skipped and named. */
const maxRowBytes = 64 << 20;

/** Lines of a growing file, each read once. A line without an end waits for it. */
export class RowFile {
  readonly #source: RunSource;
  readonly name: string;
  #inode = 0;
  /** Bytes that are read. */
  #at = 0;
  /** Bytes behind the last whole row. */
  rest = 0;
  /** Rows up to the current one. */
  rows = 0;
  #counted = 0;
  /** Whether the last reading reached the end. */
  isWhole = false;
  /** Rows that were skipped, in words. */
  tooLong: string | null = null;

  constructor(source: RunSource, name: string) {
    this.#source = source;
    this.name = name;
  }

  /**
   * Reads what is new.
   * @param maxBytes - about how much of it at a time; `isWhole` says whether there is more
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

  /**
   * The rows that are new, as many at a time as are read at once.
   * @param reset - called before the first where the file is another one
   */
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
      else if (this.#at + piece.length >= size) break; // half written
      else if (length >= maxRowBytes) await this.#passOver(size);
      else length = Math.min(maxRowBytes, 4 * length);
    }
    this.rest = Math.max(0, size - this.#at);
  }

  /** Null where no row ends. */
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

  /** Skips a row that is too long to be read. */
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
    this.#at = size; // its rest, once there is one, is no row either
  }
}
