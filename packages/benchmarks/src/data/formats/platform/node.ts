import { promisify } from "node:util";
import { gunzip } from "node:zlib";

export { parse as parseCsv } from "csv-parse/sync";
export { zipEntries } from "../zip.ts";

/** @throws Error for what is no whole gzip file, or unpacks to more than `maxBytes` */
export function unpacked(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return promisify(gunzip)(bytes, { maxOutputLength: maxBytes });
}
