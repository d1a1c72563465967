import { boundedJson, LaconicError } from "@laconic/core";
import type { DataRow } from "../data-row.ts";

/** @throws LaconicError `data_invalid` when the file is no JSON array */
export function jsonArray(file: string, bytes: Uint8Array): DataRow[] {
  let value: unknown;
  try {
    value = boundedJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new LaconicError("data_invalid", `${file}: not JSON: ${(error as Error).message}`, { file }, error);
  }
  if (!Array.isArray(value)) throw new LaconicError("data_invalid", `${file}: expected an array of rows`, { file });
  return value.map((each: unknown, i) => ({ file, row: i + 1, value: each }));
}
