import { unpackedBytes } from "@laconic/core/platform";

export { parse as parseCsv } from "csv-parse/sync";
export { zipEntries } from "../zip.ts";

/** @throws Error for an incomplete stream, or more than `maxBytes` unpacked */
export async function unpacked(
  bytes: Uint8Array,
  maxBytes: number,
  format: "gzip" | "deflate" = "gzip",
): Promise<Uint8Array> {
  return unpackedBytes(bytes, maxBytes, format);
}
