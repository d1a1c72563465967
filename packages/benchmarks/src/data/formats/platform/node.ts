import { unpackedBytes } from "@laconic/core/platform";

export { parse as parseCsv } from "csv-parse/sync";
export { zipEntries } from "../zip.ts";

/** @throws Error for what is no whole gzip file, or unpacks to more than `maxBytes` */
export async function unpacked(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return unpackedBytes(bytes, maxBytes);
}
