import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";

/** A line of JSON lines. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows of a file one after the other, whatever its length; lines that are no object are left out. None where there is no file. */
export async function* eachRow(file: string): AsyncGenerator<Row> {
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) yield* rowsIn(line);
}

function rowsIn(line: string): Row[] {
  try {
    const row: unknown = JSON.parse(line);
    return typeof row === "object" && row !== null && !Array.isArray(row) ? [row as Row] : [];
  } catch {
    return [];
  }
}
