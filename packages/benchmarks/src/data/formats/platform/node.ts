import { unpackedBytes } from "@laconic/core/platform";

export { parse as parseCsv } from "csv-parse/sync";
export { zipEntries } from "../zip.ts";

/** @throws Error for bytes that are not a whole stream of the format, or that unpack to more than `maxBytes` */
export async function unpacked(
  bytes: Uint8Array,
  maxBytes: number,
  format: "gzip" | "deflate" = "gzip",
): Promise<Uint8Array> {
  return unpackedBytes(bytes, maxBytes, format);
}
