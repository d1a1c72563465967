import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";

export { parse as parseCsv } from "csv-parse/sync";
export { zipEntries } from "../zip.ts";

/** @throws Error for what is no whole gzip file, or unpacks to more than `maxBytes` */
export function unpacked(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return promisify(gunzip)(bytes, { maxOutputLength: maxBytes });
}

/** @throws Error for what is no whole zlib stream, or unpacks to more than `maxBytes` */
export function inflated(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return promisify(inflate)(bytes, { maxOutputLength: maxBytes });
}
