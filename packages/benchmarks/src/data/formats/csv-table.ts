import { LaconicError } from "@laconic/core";
import { parseCsv } from "#formats";
import type { DataRow } from "../data-row.ts";

/**
 * Rows of a CSV whose first row names the columns, as objects of texts. Rows count as a spreadsheet shows them: the header is
 * row 1, a quoted line break starts no row, and an empty row is left out but counted. A `.tsv` has tabs between its cells.
 * @throws LaconicError `data_invalid` for a file that is not UTF-8, has no header, a column without a name or two of one name,
 * or a quote that never closes
 */
export function csvTable(file: string, bytes: Uint8Array): DataRow[] {
  const refuse = (reason: string, cause?: unknown): never => {
    throw new LaconicError("data_invalid", `${file}: ${reason}`, { file }, cause);
  };
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    refuse("is not UTF-8; save it as CSV UTF-8", error);
  }
  let records: string[][] = [];
  try {
    const delimiter = /\.tsv(?:\.gz)?$/iu.test(file) ? "\t" : ",";
    records = parseCsv(text, { delimiter, relax_column_count: true, relax_quotes: true });
  } catch (error) {
    refuse((error as Error).message, error);
  }
  const [header, ...rows] = records;
  if (!header) return refuse("is empty, expected a first row with the names of the columns");
  const names = header.map((name) => name.trim());
  const unnamed = names.indexOf("");
  if (unnamed >= 0) refuse(`row 1: column ${unnamed + 1} has no name`);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) refuse(`row 1: two columns are called ${JSON.stringify(twice)}`);
  return rows.flatMap((cells, i): DataRow[] => {
    const place = { file, row: i + 2 };
    if (cells.every((cell) => cell.trim() === "")) return [];
    if (cells.length !== names.length)
      return [{ ...place, reason: `${cells.length} cells, but the header has ${names.length}` }];
    return [{ ...place, value: Object.fromEntries(names.map((name, at) => [name, cells[at]])) }];
  });
}
