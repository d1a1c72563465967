import { parseCsv, unpacked, zipEntries } from "#formats";
import { boundedJson, LaconicError } from "@laconic/core";
import type { DataRow } from "../data-row.ts";
import { jsonLines } from "./json-lines.ts";
import { inMemory, parquetRows } from "./parquet.ts";

/**
 * Records of a CSV without header, each a list of its cells as they stand: "None" is a text.
 * @throws LaconicError `data_invalid` with the line
 */
function csvRows(file: string, bytes: Uint8Array): DataRow[] {
  try {
    const records: string[][] = parseCsv(new TextDecoder().decode(bytes), {
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
    });
    return records.map((value, i) => ({ file, row: i + 1, value }));
  } catch (error) {
    throw new LaconicError("data_invalid", `${file}: ${(error as Error).message}`, { file }, error);
  }
}

/** A compressed file that unpacks to more is a bomb. */
const maxBytes = 1 << 30;

/** How files are read whose content does not say it. */
export interface ReadOptions {
  /** Of an archive, the entries that count; all by default. */
  readonly within?: RegExp;
  /** Reads a CSV: lists of cells by default. */
  readonly csv?: (file: string, bytes: Uint8Array) => DataRow[];
  /** Bytes that a line of JSON lines may have. Default 8 MiB. */
  readonly longestLine?: number;
}

/**
 * The rows of a data file of any known format, which its content decides: JSON lines, a JSON array, Parquet, CSV by its
 * name, gzip and zip around them.
 *
 * @throws LaconicError `data_invalid` when the file as a whole cannot be read
 */
export async function readRows(file: string, bytes: Uint8Array, options: ReadOptions = {}): Promise<DataRow[]> {
  const { within, csv = csvRows, longestLine } = options;
  if (startsWith(bytes, [0x50, 0x4b, 3, 4])) {
    const { within: _, ...inside } = options;
    const entries = await zipEntries(file, bytes, (name) => within?.test(name) ?? true);
    return (await Promise.all(entries.map((entry) => readRows(`${file}/${entry.name}`, entry.bytes, inside)))).flat();
  }
  if (startsWith(bytes, [0x1f, 0x8b])) return readRows(file, await unzipped(file, bytes), options);
  if (startsWith(bytes, [0x50, 0x41, 0x52, 0x31])) return parquetRows(file, inMemory(bytes));
  if (/\.[ct]sv(?:\.gz)?$/iu.test(file)) return csv(file, bytes);
  return firstVisible(bytes) === "[" ? jsonArray(file, bytes) : [...jsonLines(file, bytes, longestLine)];
}

async function unzipped(file: string, bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await unpacked(bytes, maxBytes);
  } catch (error) {
    throw new LaconicError(
      "data_invalid",
      `${file}: not a whole gzip file: ${(error as Error).message}`,
      { file },
      error,
    );
  }
}

function startsWith(bytes: Uint8Array, head: readonly number[]): boolean {
  return head.every((byte, i) => bytes[i] === byte);
}

/** After a byte order mark and white space. */
function firstVisible(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, 64)).trimStart().slice(0, 1);
}

/** @throws LaconicError `data_invalid` when the file is no JSON array */
function jsonArray(file: string, bytes: Uint8Array): DataRow[] {
  let value: unknown;
  try {
    value = boundedJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new LaconicError("data_invalid", `${file}: not JSON: ${(error as Error).message}`, { file }, error);
  }
  if (!Array.isArray(value)) throw new LaconicError("data_invalid", `${file}: expected an array of rows`, { file });
  return value.map((each: unknown, i) => ({ file, row: i + 1, value: each }));
}
