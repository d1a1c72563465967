import { readFile } from "node:fs/promises";
import { readRows } from "@laconic/benchmarks";
import { isRecord, LaconicError } from "@laconic/core";

/**
 * Rows of a file of supervised examples: JSON lines, a JSON array or Parquet, also in gzip; each with its place.
 * @throws LaconicError `config_invalid` for a file that is not there, `data_invalid` naming file and row
 */
export async function exampleRows(file: string): Promise<readonly unknown[]> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new LaconicError(
      "config_invalid",
      `${file} cannot be read: ${(error as Error).message}; paths are relative to the file that says them`,
      { file },
      error,
    );
  });
  return (await readRows(file, bytes)).map((row) => {
    const source = `${file} row ${row.row}`;
    if ("reason" in row) throw new LaconicError("data_invalid", `${source}: ${row.reason}`, { file, row: row.row });
    if (!isRecord(row.value))
      throw new LaconicError("data_invalid", `${source}: it is no object`, { file, row: row.row });
    return { ...row.value, source };
  });
}
