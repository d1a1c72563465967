import type { UnknownRecord } from "@laconic/core";
import { linesIn, type FileSystem } from "@laconic/core/files";
import type { ReadAt } from "@laconic/core/run-folder";
import { parsed, recordIn } from "../reading/run-source.ts";

/** One line of JSON. A number that JSON cannot hold becomes null, and its key is listed under `nonfinite`. */
export function toLine(row: UnknownRecord): string {
  const nonfinite = Object.keys(row).filter((key) => typeof row[key] === "number" && !Number.isFinite(row[key]));
  return `${JSON.stringify(nonfinite.length > 0 ? { ...row, nonfinite } : row)}\n`;
}

const pieceBytes = 1 << 20;

/** A file piece by piece, whatever its length. */
export function piecesOf(fs: FileSystem, path: string): AsyncGenerator<Uint8Array> {
  return piecesBy((from, length) => fs.readPart(path, from, length));
}

/** What lies between two places, piece by piece. */
export async function* piecesBy(read: ReadAt, from: number = 0, to: number = Infinity): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to;) {
    const piece = await read(at, Math.min(pieceBytes, to - at));
    if (piece === null || piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}

const decoder = new TextDecoder();

/** What a line says; null for what is no object of JSON. */
export function rowIn(line: Uint8Array | null): UnknownRecord | null {
  return line && recordIn(parsed(decoder.decode(line)));
}

/** Rows of a file one after the other, whatever its length; what is no row is left out. None where there is no file. */
export async function* eachLine(fs: FileSystem, path: string): AsyncGenerator<UnknownRecord> {
  if (!(await fs.exists(path))) return;
  for await (const line of linesIn(piecesOf(fs, path))) {
    const row = rowIn(line);
    if (row) yield row;
  }
}

/** All rows of a file, as {@link eachLine} gives them: of one that stays small. */
export async function readLines(fs: FileSystem, path: string): Promise<UnknownRecord[]> {
  const rows: UnknownRecord[] = [];
  for await (const row of eachLine(fs, path)) rows.push(row);
  return rows;
}

/** The first row, or the last; null where there is none. */
export async function lineAt(fs: FileSystem, path: string, place: "first" | "last"): Promise<UnknownRecord | null> {
  let found: UnknownRecord | null = null;
  for await (const row of eachLine(fs, path)) {
    found = row;
    if (place === "first") break;
  }
  return found;
}
