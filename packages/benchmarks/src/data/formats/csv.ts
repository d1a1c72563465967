import { LaconicError } from "@laconic/core";
import { parseCsv } from "#formats";
import type { DataRow } from "../data-row.ts";

/**
 * Records of a CSV without header, each a list of its cells as they stand: "None" is a text.
 * @throws LaconicError `data_invalid` with the row of a quote that never closes
 */
export function csvRows(file: string, bytes: Uint8Array): DataRow[] {
  return csvRecords(file, new TextDecoder().decode(bytes), ",").map((value, i) => ({ file, row: i + 1, value }));
}

/** Cells of a file in lists. Rows end at `\n`, `\r\n` and `\r`, also mixed. @throws LaconicError `data_invalid` with the row */
export function csvRecords(file: string, text: string, delimiter: string): string[][] {
  const options = {
    bom: true,
    delimiter,
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
    if (records.some((record) => record.some(isSuspect)))
      for (const [i, { raw }] of (parseCsv(text, { ...options, raw: true }) as unknown as Raw[]).entries())
        if (records[i]?.some(isSuspect) && !isStrict(raw, options)) refuse(i + 1);
    return records;
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    const { code, records } = error as { readonly code?: string; readonly records?: number };
    if (code === "CSV_QUOTE_NOT_CLOSED") return refuse((records ?? 0) + 1, error);
    throw new LaconicError("data_invalid", `${file}: ${(error as Error).message}`, { file }, error);
  }
}

interface Raw {
  readonly raw: string;
}

/** The parser keeps the quote of a cell that goes on behind its closing quote. */
const isSuspect = (cell: string): boolean => /^"[^]*[\r\n]/u.test(cell);

function isStrict(raw: string, options: object): boolean {
  try {
    parseCsv(raw, { ...options, relax_quotes: false });
    return true;
  } catch {
    return false;
  }
}
