import { LaconicError } from "@laconic/core";
import type { DataRow } from "../data-row.ts";

/**
 * Rows of a Parquet file as objects. Loads its reader when first used.
 * @throws LaconicError `data_invalid` for a damaged or cut file
 */
export async function parquetRows(file: string, bytes: Uint8Array): Promise<DataRow[]> {
  const { parquetReadObjects } = await import("hyparquet");
  const { compressors } = await import("hyparquet-compressors");
  try {
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    const records = await parquetReadObjects({ file: buffer, compressors });
    return records.map((value, i) => ({ file, row: i + 1, value: plain(value) }));
  } catch (error) {
    throw new LaconicError("data_invalid", `${file}: not a whole Parquet file: ${String(error)}`, { file }, error);
  }
}

/** Parquet's 64-bit integers as numbers; as texts where a number could not hold them. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
