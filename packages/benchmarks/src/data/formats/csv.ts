import { LaconicError } from "@laconic/core";
import { parseCsv } from "#formats";
import type { DataRow } from "../data-row.ts";

/**
 * Records of a CSV without header, each a list of its cells as they stand: "None" is a text.
 * @throws LaconicError `data_invalid` with the row of a quote that never closes
 */
export function csvRows(file: string, bytes: Uint8Array): DataRow[] {
  return csvRecords(file, new TextDecoder().decode(bytes)).map((value, i) => ({ file, row: i + 1, value }));
}

/** How cells are told apart. */
export interface CsvOptions {
  /** Default a comma. */
  readonly delimiter?: string;
  /** Whether spaces around a cell, and around its quotes, are no part of it. Default false. */
  readonly trim?: boolean;
}

/** Cells of a file in lists. Rows end at `\n`, `\r\n` and `\r`, also mixed. @throws LaconicError `data_invalid` with the row */
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
    throw new LaconicError("data_invalid", `${file}: row ${row}: a quote never closes`, { file, row }, cause);
  };
  try {
    const records: string[][] = parseCsv(text, options);
    // A quote that closes rows later, in the middle of a cell, would join these rows to one.
    if (records.some((cells) => cells.some(isSuspect))) {
      const sources = parseCsv(text, { ...options, raw: true }) as unknown as readonly { readonly raw: string }[];
      const row = records.findIndex(
        (cells, i) => cells.some(isSuspect) && joinsRows((sources[i] as { readonly raw: string }).raw, delimiter),
      );
      if (row >= 0) refuse(row + 1);
    }
    return records;
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    const { code, records } = error as { readonly code?: string; readonly records?: number };
    if (code === "CSV_QUOTE_NOT_CLOSED") return refuse((records ?? 0) + 1, error);
    throw new LaconicError("data_invalid", `${file}: ${(error as Error).message}`, { file }, error);
  }
}

/** The parser keeps the quote of a cell that goes on behind its closing quote. */
const isSuspect = (cell: string): boolean => /^"[^]*[\r\n]/u.test(cell);

/** Whether a record as it is written has a cell of several lines that goes on behind its closing quote. */
function joinsRows(record: string, delimiter: string): boolean {
  const ends = `\\u{${(delimiter.codePointAt(0) as number).toString(16)}}\\r\\n`;
  const cells = record.matchAll(new RegExp(`(?:"([^"]*(?:""[^"]*)*)")?([^${ends}]*)[${ends}]*`, "gu"));
  return [...cells].some(([, quoted = "", rest]) => /[\r\n]/u.test(quoted) && rest !== "");
}
