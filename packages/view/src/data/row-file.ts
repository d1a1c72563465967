import type { RunPlace } from "./run-place.ts";

/** Where a row stands in its file, in bytes, without its end. */
export interface RowPlace {
  readonly from: number;
  readonly length: number;
}

/** What a reading gives. */
export interface RowReader {
  /** The file is another one, or shorter: what was read of it counts for nothing, and it is read from its beginning. */
  reset(): void;
  /** A whole row. The bytes are read over afterwards. */
  row(bytes: Buffer, place: RowPlace): void;
}

const pieceBytes = 1 << 20;

/** Longer rows are passed over, and named. */
const mostRowBytes = 64 << 20;

/** Lines of a file that grows, each read once. A line that has no end yet waits for it. */
export class RowFile {
  readonly #place: RunPlace;
  readonly name: string;
  #inode = 0;
  /** All before is read. */
  #at = 0;
  /** Bytes behind the last whole row. */
  rest = 0;
  rows = 0;
  /** Rows that were passed over, in words. */
  tooLong: string | null = null;

  constructor(place: RunPlace, name: string) {
    this.#place = place;
    this.name = name;
  }

  /** Reads what is new. @returns whether there was anything */
  async readNew(reader: RowReader): Promise<boolean> {
    const found = await this.#place.stat(this.name);
    const isOther = this.#at > 0 && (!found || found.ino !== this.#inode || found.size < this.#at);
    if (isOther) {
      [this.#at, this.rest, this.rows, this.tooLong] = [0, 0, 0, null];
      reader.reset();
    }
    if (!found) return isOther;
    this.#inode = found.ino;
    const before = this.#at;
    let buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, Math.max(1, found.size - this.#at)));
    while (this.#at < found.size) {
      const read = await this.#place.readInto(this.name, buffer, this.#at);
      if (read === null || read === 0) break;
      const used = this.#takeRows(buffer.subarray(0, read), reader);
      if (used > 0) continue;
      if (this.#at + read >= found.size) break; // half written
      if (buffer.length >= mostRowBytes) await this.#passOver(found.size, buffer);
      else buffer = Buffer.allocUnsafeSlow(Math.min(mostRowBytes, 4 * buffer.length));
    }
    this.rest = Math.max(0, found.size - this.#at);
    return isOther || this.#at > before;
  }

  #takeRows(bytes: Buffer, reader: RowReader): number {
    let used = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, used)) {
      if (end > used) {
        this.rows++;
        reader.row(bytes.subarray(used, end), { from: this.#at + used, length: end - used });
      }
      used = end + 1;
    }
    this.#at += used;
    return used;
  }

  /** To the end of a row that is too long to be read. */
  async #passOver(size: number, buffer: Buffer): Promise<void> {
    const start = this.#at;
    for (let at = start; at < size; at += buffer.length) {
      const read = await this.#place.readInto(this.name, buffer, at);
      if (read === null || read === 0) break;
      const end = buffer.subarray(0, read).indexOf(10);
      if (end < 0) continue;
      this.#at = at + end + 1;
      this.rows++;
      this.tooLong ??= `${this.name}: row ${this.rows} has ${this.#at - start} bytes and was passed over`;
      return;
    }
    this.#at = size; // its rest, once there is one, is no row either
  }
}
