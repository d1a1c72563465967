import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";

/** A line of JSON lines. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows of a file one after the other, whatever its length; lines that are no object are left out. None where there is no file. */
export async function* eachRow(file: string): AsyncGenerator<Row> {
  for await (const row of lines(file)) if (row !== null) yield row;
}

/** All rows of a small file, and whether it ends in the middle of one. */
export async function readRows(file: string): Promise<{ readonly rows: readonly Row[]; readonly torn: boolean }> {
  const rows: Row[] = [];
  let last: Row | null = {};
  for await (const row of lines(file)) {
    last = row;
    if (row !== null) rows.push(row);
  }
  return { rows, torn: last === null };
}

/** Null for a line that is no object. */
async function* lines(file: string): AsyncGenerator<Row | null> {
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity }))
    if (line !== "") yield rowOf(line);
}

function rowOf(line: string): Row | null {
  try {
    const row: unknown = JSON.parse(line);
    return typeof row === "object" && row !== null && !Array.isArray(row) ? (row as Row) : null;
  } catch {
    return null;
  }
}
