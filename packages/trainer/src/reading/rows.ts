import type { UnknownRecord } from "@laconic/core";
import type { FileSystem } from "@laconic/core/files";
import { runFiles } from "@laconic/core/run-folder";
import { fileSystemSource, parsed, recordIn, rowsIn, type RunSource } from "./run-source.ts";

/** Row of a JSON lines file. */
export type Row = UnknownRecord;

const decoder = new TextDecoder();

/** Object of a line; null for other lines. */
export function rowOf(line: Uint8Array | string | null): Row | null {
  return line === null ? null : recordIn(parsed(typeof line === "string" ? line : decoder.decode(line)));
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

const maxRestBytes = 8 << 20;

/** Reads the rows of a JSON lines file. */
export async function readRows(source: RunSource, name: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of eachRow(source, name)) rows.push(row);
  return rows;
}

/** Yields the rows of a file, as `eachRow`. */
export function eachLine(fs: FileSystem, path: string): AsyncGenerator<Row> {
  return eachRow(fileSystemSource(fs, ""), path);
}

/** All rows of a small file. */
export function readLines(fs: FileSystem, path: string): Promise<Row[]> {
  return readRows(fileSystemSource(fs, ""), path);
}

/** First or last row; null without rows. */
export async function lineAt(fs: FileSystem, path: string, location: "first" | "last"): Promise<Row | null> {
  let match: Row | null = null;
  for await (const row of eachLine(fs, path)) {
    match = row;
    if (location === "first") break;
  }
  return match;
}

/** Byte range without the line end. */
export interface RowRange {
  readonly from: number;
  readonly length: number;
}

/** Bytes of a row with its number and place. */
export interface RowBytes {
  /** Valid until the next read. */
  readonly bytes: Uint8Array;
  /** Counts from 1. */
  readonly number: number;
  readonly range: RowRange;
}

/** Receives the rows of a file. */
export interface RowReader {
  /** The file was replaced or cut; reading restarts. */
  reset(): void;
  /** `bytes` are valid until the next read. */
  row(bytes: Uint8Array, range: RowRange): void;
}

const pieceBytes = 1 << 20;

/** Longer rows are skipped with a message. */
const maxRowBytes = 64 << 20;

/** Reads each complete line of a growing file once. */
export class RowFile {
  readonly #source: RunSource;
  readonly name: string;
  #inode = 0;
  #offset = 0;
  /** Bytes after the last complete row. */
  rest = 0;
  rows = 0;
  #counted = 0;
  tooLong: string | null = null;

  constructor(source: RunSource, name: string) {
    this.#source = source;
    this.name = name;
  }

  /** Reads new rows. @returns whether there was anything */
  async readNew(reader: RowReader): Promise<boolean> {
    let isOther = false;
    let before = this.#offset;
    const reset = (): void => {
      isOther = true;
      before = 0;
      reader.reset();
    };
    for await (const batch of this.batches(reset))
      for (const { bytes, number, range } of batch) {
        this.rows = number;
        reader.row(bytes, range);
      }
    return isOther || this.#offset > before;
  }

  /** New rows, one batch per read. @param reset - called first if the file was replaced */
  async *batches(reset: () => void = () => undefined): AsyncGenerator<readonly RowBytes[]> {
    const match = await this.#source.stat(this.name);
    const { size = 0, ino = 0 } = match ?? {};
    if (this.#offset > 0 && (!match || ino !== this.#inode || size < this.#offset)) {
      [this.#offset, this.rest, this.rows, this.#counted, this.tooLong] = [0, 0, 0, 0, null];
      reset();
    }
    if (!match) return;
    this.#inode = ino;
    let length = Math.min(pieceBytes, size - this.#offset);
    while (this.#offset < size) {
      const piece = await this.#source.bytes(this.name, this.#offset, Math.min(length, size - this.#offset));
      if (piece === null || piece.length === 0) break;
      const rows = this.#rowsIn(piece);
      if (rows !== null) yield rows;
      else if (this.#offset + piece.length >= size) break; // half-written
      else if (length >= maxRowBytes) await this.#passOver(size);
      else length = Math.min(maxRowBytes, 4 * length);
    }
    this.rest = Math.max(0, size - this.#offset);
  }

  /** Returns null if no row ends in the piece. */
  #rowsIn(piece: Uint8Array): RowBytes[] | null {
    const matches: RowBytes[] = [];
    let used = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, used)) {
      if (end > used) {
        this.#counted++;
        const number = this.#counted;
        matches.push({
          bytes: piece.subarray(used, end),
          number,
          range: { from: this.#offset + used, length: end - used },
        });
      }
      used = end + 1;
    }
    this.#offset += used;
    return used === 0 ? null : matches;
  }

  async #passOver(size: number): Promise<void> {
    const start = this.#offset;
    for (let index = start; index < size; index += pieceBytes) {
      const piece = await this.#source.bytes(this.name, index, Math.min(pieceBytes, size - index));
      if (piece === null || piece.length === 0) break;
      const end = piece.indexOf(10);
      if (end < 0) continue;
      this.#offset = index + end + 1;
      this.rows = ++this.#counted;
      this.tooLong ??= `${this.name}: row ${this.rows} has ${this.#offset - start} bytes and was skipped`;
      return;
    }
    this.#offset = size; // its remainder is not a row either
  }
}

/** Larger files are not checked, which takes about 10 ms. */
const maxChecked = 16 << 20;

/** Last complete row with a step; null without one. */
export async function lastRow(
  source: RunSource,
  name: string,
): Promise<(UnknownRecord & { readonly step: number }) | null> {
  const match = await source.stat(name);
  if (!match) return null;
  const { size } = match;
  // The last length is the limit of row readers.
  for (const length of [1 << 16, 1 << 22, 1 << 26]) {
    const from = Math.max(0, size - length);
    const tail = await source.bytes(name, from, size - from);
    const rows = rowsIn(tail && new TextDecoder().decode(tail));
    const last = rows.findLast((row): row is typeof row & { readonly step: number } => typeof row["step"] === "number");
    if (last !== undefined) return last;
    if (from === 0) break;
  }
  return null;
}

/** First metrics row out of order; null without one, or for a too large file. */
export async function lostSteps(source: RunSource): Promise<string | null> {
  const match = await source.stat(runFiles.metrics);
  const bytes = match && match.size <= maxChecked ? await source.bytes(runFiles.metrics, 0, match.size) : null;
  if (!bytes) return null;
  const { steps, bad } = stepsIn(bytes);
  const defect = bad === null ? stepDefect(steps) : `line ${bad} is not a row of a step`;
  return defect === null ? null : `${runFiles.metrics}: ${defect}`;
}

/** Longer rows are parsed whole, because their start proves too little. */
const maxTrusted = 1 << 20;

/** Steps of the rows, and the first line without one, from 1. */
function stepsIn(bytes: Uint8Array): { readonly steps: readonly number[]; readonly bad: number | null } {
  const steps: number[] = [];
  let line: number = 0;
  let bad: number | null = null;
  for (let from = 0, end = bytes.indexOf(10); end >= 0; from = end + 1, end = bytes.indexOf(10, from)) {
    line += 1;
    if (end === from) continue;
    // The step comes first, so the remainder of a row is not parsed.
    const begins = /^\{"step":(\d+)[,}]/u.exec(decoder.decode(bytes.subarray(from, Math.min(end, from + 32))));
    const isTrusted = begins !== null && end - from <= maxTrusted;
    const step = isTrusted ? Number(begins[1]) : recordIn(parsed(decoder.decode(bytes.subarray(from, end))))?.["step"];
    if (typeof step === "number") steps.push(step);
    else bad ??= line;
  }
  return { steps, bad };
}

/** Describes the first deviation from the steps 1, 2, 3 ..., or returns null. @param steps - in file order */
export function stepDefect(steps: readonly number[]): string | null {
  for (const [i, step] of steps.entries()) {
    const expected = i + 1;
    if (step === expected) continue;
    const row = `row ${i + 1} is of step ${step}`;
    return step < expected ? `${row}, which is a duplicate` : `${row}: step ${expected} is lost`;
  }
  return null;
}
