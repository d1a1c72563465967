import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wholes } from "./growing.ts";

/** How much of the texts is held in memory. */
export interface TextLimits {
  /** Of a piece, which texts lie in. */
  readonly pieceBytes: number;
  /** Of all pieces in memory; those before are in a file. */
  readonly maxBytes: number;
}

const defaults: TextLimits = { pieceBytes: 4 << 20, maxBytes: 64 << 20 };

/** Of a text, in UTF-16 units: what stands behind is not found. */
const maxCharacters = 1_000_000;

interface Piece {
  /** Null where it is in the file. */
  bytes: Buffer | null;
  used: number;
  readonly firstText: number;
  readonly place: number;
}

/**
 * Texts in small letters, as UTF-8, to be searched through from end to end: a gigabyte a second in memory. The oldest go to a
 * temporary file without a name once there are too many.
 */
export class TextStore {
  readonly #limits: TextLimits;
  readonly #pieces: Piece[] = [];
  /** Where each text begins in its piece. */
  readonly #starts = wholes();
  #file: { readonly fd: number; readonly folder: string } | null = null;
  #inMemory = 0;

  constructor(limits: Partial<TextLimits> = {}) {
    this.#limits = { ...defaults, ...limits };
  }

  get length(): number {
    return this.#starts.length;
  }

  /** In memory. */
  get bytes(): number {
    return this.#starts.bytes + this.#pieces.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
  }

  /** @returns the number of the text, counted from 0 */
  add(text: string): number {
    // A zero byte ends a text, so that no match reaches from one into the next.
    const small = text.slice(0, maxCharacters).toLowerCase().replaceAll("\0", " ");
    const size = Buffer.byteLength(small) + 1;
    const piece = this.#pieceFor(size);
    this.#starts.push(piece.used);
    const bytes = piece.bytes as Buffer;
    bytes.write(small, piece.used);
    piece.used += size;
    bytes[piece.used - 1] = 0;
    return this.#starts.length - 1;
  }

  #pieceFor(size: number): Piece {
    const { pieceBytes } = this.#limits;
    const last = this.#pieces.at(-1);
    if (last?.bytes && last.used + size <= last.bytes.length) return last;
    // The first piece of a small run stays small.
    if (last?.bytes && last.bytes.length < pieceBytes && last.used + size <= pieceBytes) {
      const more = Buffer.allocUnsafeSlow(Math.min(pieceBytes, Math.max(2 * last.bytes.length, last.used + size)));
      last.bytes.copy(more, 0, 0, last.used);
      last.bytes = more;
      return last;
    }
    if (last) {
      this.#inMemory += last.used;
      this.#makeRoom();
    }
    const first = this.#pieces.length === 0 ? Math.min(pieceBytes, 1 << 16) : pieceBytes;
    const piece: Piece = {
      bytes: Buffer.allocUnsafeSlow(Math.max(first, size)),
      used: 0,
      firstText: this.#starts.length,
      place: (last?.place ?? 0) + (last?.used ?? 0),
    };
    this.#pieces.push(piece);
    return piece;
  }

  /** Moves the oldest pieces into the file. */
  #makeRoom(): void {
    for (const piece of this.#pieces) {
      if (this.#inMemory <= this.#limits.maxBytes) return;
      if (!piece.bytes) continue;
      this.#file ??= openUnnamed();
      writeSync(this.#file.fd, piece.bytes, 0, piece.used, piece.place);
      this.#inMemory -= piece.used;
      piece.bytes = null;
    }
  }

  /** Marks the texts that hold a word: 1 at their numbers. */
  find(word: string, marks: Uint8Array): void {
    const needle = Buffer.from(word.toLowerCase());
    if (needle.length === 0) return;
    let buffer: Buffer | null = null;
    for (const [i, piece] of this.#pieces.entries()) {
      let bytes = piece.bytes;
      if (!bytes) {
        if (!buffer || buffer.length < piece.used) buffer = Buffer.allocUnsafeSlow(piece.used);
        readSync(this.#file?.fd as number, buffer, 0, piece.used, piece.place);
        bytes = buffer;
      }
      const end = this.#pieces[i + 1]?.firstText ?? this.length;
      this.#findIn(bytes.subarray(0, piece.used), piece.firstText, end, needle, marks);
    }
  }

  #findIn(bytes: Buffer, first: number, end: number, needle: Buffer, marks: Uint8Array): void {
    const starts = this.#starts.values();
    let text = first;
    for (let at = bytes.indexOf(needle); at >= 0;) {
      text = lastStartingAt(starts, text, end, at);
      marks[text] = 1;
      if (text + 1 === end) return;
      at = bytes.indexOf(needle, starts[text + 1] as number);
    }
  }

  close(): void {
    if (!this.#file) return;
    closeSync(this.#file.fd);
    rmSync(this.#file.folder, { recursive: true, force: true });
    this.#file = null;
  }
}

/** The last text of [low, high) that starts at or before a place. */
function lastStartingAt(starts: Uint32Array, low: number, high: number, place: number): number {
  let from = low;
  let to = high;
  while (to - from > 1) {
    const middle = (from + to) >>> 1;
    if ((starts[middle] as number) <= place) from = middle;
    else to = middle;
  }
  return from;
}

/** For this process alone; where the system lets an open file lose its name, nothing is left of it whatever happens. */
function openUnnamed(): { readonly fd: number; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "laconic-view-"));
  const fd = openSync(join(folder, "texts"), "wx+", 0o600);
  if (process.platform !== "win32") rmSync(folder, { recursive: true });
  return { fd, folder };
}
