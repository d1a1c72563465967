import { parsed, recordIn, type RunSource } from "./run-source.ts";
import { RowFile } from "./row-file.ts";

/** A line of JSON lines. */
export type Row = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder();

/** What a line says; null for one that is torn, no JSON, or no object. */
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

/** A larger rest is taken for none. */
const maxRestBytes = 8 << 20;

/** All rows of a file; see {@link eachRow}. */
export async function readRows(source: RunSource, name: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of eachRow(source, name)) rows.push(row);
  return rows;
}
