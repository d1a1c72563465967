import { LaconicError } from "@laconic/core";
import { parseCsv } from "#formats";
import type { DataRow } from "../data-row.ts";

/**
 * Records of a CSV without header, each a list of its cells as they stand: "None" is a text.
 * @throws LaconicError `data_invalid` with the line
 */
export function csvRows(file: string, bytes: Uint8Array): DataRow[] {
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
