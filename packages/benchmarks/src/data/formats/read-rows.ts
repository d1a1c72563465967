import { unpacked, zipEntries } from "#formats";
import { isRecord, dataError } from "@laconic/core";
import { boundedJson, exactJson } from "@laconic/core/json";
import type { DataRow } from "../data-row.ts";
import { csvRows } from "./csv.ts";
import { jsonLines, type JsonLinesOptions } from "./json-lines.ts";
import { inMemory, parquetRows } from "./parquet.ts";

/** Max unpacked size, against bombs. */
const maxBytes = 1 << 30;

export interface ReadOptions extends JsonLinesOptions {
  /** Default all entries. */
  readonly within?: RegExp;
  /** Default lists of cells. */
  readonly csv?: (file: string, bytes: Uint8Array) => DataRow[];
}

/**
 * Reads JSON lines, a JSON array or an object with one, Parquet, or CSV (by name), inside gzip or zip.
 * @throws LaconicError `data_invalid`
 */
export async function readRows(file: string, bytes: Uint8Array, options: ReadOptions = {}): Promise<DataRow[]> {
  const { within, csv = csvRows, exact = false } = options;
  if (startsWith(bytes, [0x50, 0x4b, 3, 4])) {
    const { within: _, ...inside } = options;
    const entries = await zipEntries(file, bytes, (name) => within?.test(name) ?? true);
    return (await Promise.all(entries.map((entry) => readRows(`${file}/${entry.name}`, entry.bytes, inside)))).flat();
  }
  if (startsWith(bytes, [0x1f, 0x8b])) return readRows(file, await unzipped(file, bytes), options);
  if (startsWith(bytes, [0x50, 0x41, 0x52, 0x31])) return parquetRows(file, inMemory(bytes), { exact });
  if (/\.[ct]sv(?:\.gz)?$/iu.test(file)) return csv(file, bytes);
  if (new TextDecoder().decode(bytes.subarray(0, 64)).trimStart().startsWith("["))
    return listed(file, wholeJson(file, bytes, exact));
  const rows = [...jsonLines(file, bytes, options)];
  // A multi-line object, or a single line.
  const isLines = rows.length === 1 ? /\.(?:jsonl|ndjson)(?:\.gz)?$/iu.test(file) : rows.some((row) => "value" in row);
  return isLines || rows.length === 0 ? rows : (rowsInObject(file, bytes, exact) ?? rows);
}

async function unzipped(file: string, bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await unpacked(bytes, maxBytes);
  } catch (error) {
    throw dataError(`${file}: not a whole gzip file: ${(error as Error).message}`, { file }, error);
  }
}

function startsWith(bytes: Uint8Array, head: readonly number[]): boolean {
  return head.every((byte, i) => bytes[i] === byte);
}

/** @throws LaconicError `data_invalid` */
function wholeJson(file: string, bytes: Uint8Array, exact: boolean): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return exact ? exactJson(text) : boundedJson(text);
  } catch (error) {
    throw dataError(`${file}: not JSON: ${(error as Error).message}`, { file }, error);
  }
}

function listed(file: string, list: unknown): DataRow[] {
  if (!Array.isArray(list)) throw dataError(`${file}: expected an array of rows`, { file });
  return list.map((value: unknown, i) => ({ file, row: i + 1, ...unwrapped(value) }));
}

/** Unwraps a row of the hub's `rows` API. */
function unwrapped(value: unknown): { readonly value: unknown } | { readonly reason: string } {
  if (!isRecord(value) || !("row_idx" in value) || !("row" in value)) return { value };
  const { row, truncated_cells: cut } = value;
  return Array.isArray(cut) && cut.length > 0 ? { reason: `the hub cut the cells ${cut.join(", ")}` } : { value: row };
}

/**
 * The only list of objects, or `rows` or `data`; null for invalid JSON, and for one line without such a list.
 * @throws LaconicError `data_invalid` for no list or several
 */
function rowsInObject(file: string, bytes: Uint8Array, exact: boolean): DataRow[] | null {
  let whole: unknown;
  try {
    whole = wholeJson(file, bytes, exact);
  } catch {
    return null;
  }
  if (!isRecord(whole)) return null;
  const lists = Object.keys(whole).filter((key) => isTable(whole[key]));
  const key = lists.length === 1 ? lists[0] : ["rows", "data"].find((name) => lists.includes(name));
  if (key !== undefined) return listed(file, whole[key]);
  if (!new TextDecoder().decode(bytes).trim().includes("\n")) return null;
  const reason =
    lists.length === 0
      ? "holds one JSON object over several lines, expected an array of rows or a row on each line"
      : `holds several lists (${lists.join(", ")}); call that of the rows "rows"`;
  throw dataError(`${file}: ${reason}`, { file });
}

function isTable(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}
