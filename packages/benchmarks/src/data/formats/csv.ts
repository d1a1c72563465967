import { LaconicError, dataError } from "@laconic/core";
import { parseCsv } from "#formats";
import type { DataRow } from "../data-row.ts";

/**
 * Reads a CSV without header as lists of unchanged cells.
 * @throws LaconicError `data_invalid` for an unclosed quote
 */
export function csvRows(file: string, bytes: Uint8Array): DataRow[] {
  return csvRecords(file, new TextDecoder().decode(bytes)).map((value, i) => ({ file, row: i + 1, value }));
}

interface CsvOptions {
  /** Default a comma. */
  readonly delimiter?: string;
  /** Also trims quotes. Default false. */
  readonly trim?: boolean;
}

/**
 * Lists of cells; rows end with `\n`, `\r\n` or `\r`, also mixed.
 * @throws LaconicError `data_invalid`
 */
export function csvRecords(file: string, text: string, { delimiter = ",", trim = false }: CsvOptions = {}): string[][] {
  const options = {
    bom: true,
    delimiter,
    trim,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
  };
  const refuse = (row: number, cause?: unknown): never => {
    throw dataError(`${file}: row ${row}: a quote never closes`, { file, row }, cause);
  };
  try {
    const records: string[][] = parseCsv(text, options);
    // A stray quote that closes later would merge rows.
    if (records.some((cells) => cells.some(isSuspect))) {
      const sources = parseCsv(text, { ...options, raw: true }) as unknown as readonly { readonly raw: string }[];
      const row = records.findIndex((cells, i) => cells.some(isSuspect) && joinsRows(sources[i]!.raw, delimiter));
      if (row >= 0) refuse(row + 1);
    }
    return records;
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    const { code, records } = error as { readonly code?: string; readonly records?: number };
    if (code === "CSV_QUOTE_NOT_CLOSED") return refuse((records ?? 0) + 1, error);
    throw dataError(`${file}: ${(error as Error).message}`, { file }, error);
  }
}

/** The parser keeps quotes before trailing text. */
const isSuspect = (cell: string): boolean => /^"[^]*[\r\n]/u.test(cell);

function joinsRows(record: string, delimiter: string): boolean {
  const ends = `\\u{${delimiter.codePointAt(0)!.toString(16)}}\\r\\n`;
  const cells = record.matchAll(new RegExp(`(?:"([^"]*(?:""[^"]*)*)")?([^${ends}]*)[${ends}]*`, "gu"));
  return [...cells].some(([, quoted = "", rest]) => /[\r\n]/u.test(quoted) && rest !== "");
}

/**
 * Reads a CSV with header as objects of texts. Rows count as in spreadsheets: the header is row 1, and empty rows are
 * skipped.
 * @throws LaconicError `data_invalid` for invalid UTF-8, missing or duplicate column names, or an unclosed quote
 */
export function csvTable(file: string, bytes: Uint8Array): DataRow[] {
  const refuse = (reason: string, cause?: unknown): never => {
    throw dataError(`${file}: ${reason}`, { file }, cause);
  };
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    refuse("is not UTF-8; save it as CSV UTF-8", error);
  }
  const records = tableIn(file, text);
  const first = records.findIndex((cells) => !isEmpty(cells));
  const [header, ...rows] = records.slice(Math.max(0, first));
  if (!header) return refuse("is empty, expected a first row with the names of the columns");
  const names = header.map((name) => name.trim());
  // Spreadsheets write trailing commas; pandas an unnamed first column.
  const isUsed = (column: number): boolean => rows.some((cells) => (cells[column] ?? "").trim() !== "");
  const columns = [...names.keys()].filter((i) => names[i] !== "" || (i > 0 && isUsed(i)));
  const width = (columns.at(-1) ?? 0) + 1;
  const unnamed = columns.find((i) => names[i] === "");
  if (unnamed !== undefined) refuse(`row ${first + 1}: column ${unnamed + 1} has no name`);
  const twice = columns.map((i) => names[i]).find((name, i, all) => all.indexOf(name) !== i);
  if (twice !== undefined) refuse(`row ${first + 1}: two columns are called ${JSON.stringify(twice)}`);
  return rows.flatMap((cells, i): DataRow[] => {
    const location = { file, row: first + i + 2 };
    if (isEmpty(cells)) return [];
    if (cells.length < width || !isEmpty(cells.slice(width)))
      return [{ ...location, reason: `${cells.length} cells, but the header has ${width}` }];
    return [{ ...location, value: Object.fromEntries(columns.map((column) => [names[column], cells[column]])) }];
  });
}

const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === "");

const delimiters = [",", ";", "\t", "|"];

/** Delimiter of a line `sep=;`, else the one with most rows as long as the header. */
function tableIn(file: string, text: string): string[][] {
  const declared = /^"?sep=([^\r\n])"?(?:\r\n|\r|\n)/iu.exec(text);
  if (declared) return csvRecords(file, text.slice(declared[0].length), { delimiter: declared[1]!, trim: true });
  const [line = ""] = text.trimStart().split(/[\r\n]/u, 1);
  const usual = /\.tsv(?:\.gz)?$/iu.test(file) ? "\t" : ",";
  const candidates = [usual, ...delimiters].filter((item, i, all) => all.indexOf(item) === i && line.includes(item));
  if (candidates.length < 2) return csvRecords(file, text, { delimiter: candidates[0] ?? usual, trim: true });
  const tables = candidates.map((delimiter) => {
    try {
      const records = csvRecords(file, text, { delimiter, trim: true });
      const header = records.find((cells) => !isEmpty(cells));
      return { records, whole: records.filter(({ length }) => length === header?.length).length };
    } catch (error) {
      return { error, whole: -1 };
    }
  });
  const best = tables.reduce((one, other) => (other.whole > one.whole ? other : one));
  if (best.records) return best.records;
  throw best.error;
}
