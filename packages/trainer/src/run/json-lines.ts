import type { FileSystem } from "@laconic/core/files";
import { rowsIn } from "./run-source.ts";

type Row = Readonly<Record<string, unknown>>;

/** One line of JSON. A number that JSON cannot hold becomes null, and its key is listed under `nonfinite`. */
export function toLine(row: Readonly<Record<string, unknown>>): string {
  const nonfinite = Object.keys(row).filter((key) => typeof row[key] === "number" && !Number.isFinite(row[key]));
  return `${JSON.stringify(nonfinite.length > 0 ? { ...row, nonfinite } : row)}\n`;
}

/** Rows of a file; a torn last line is left out. Empty when there is no file. */
export async function readLines(fs: FileSystem, path: string): Promise<Row[]> {
  if (!(await fs.exists(path))) return [];
  return rowsIn(new TextDecoder().decode(await fs.read(path)));
}
