import { dataError } from "@laconic/core";
import type { ZipEntry } from "../zip.ts";

export { parse as parseCsv } from "csv-parse/browser/esm/sync";

/** @throws LaconicError `data_invalid`: archives need Node */
export async function zipEntries(file: string): Promise<ZipEntry[]> {
  throw dataError(`${file}: archives are not read in a browser; unpack it first`, { file });
}

/** @throws Error for an incomplete stream, or more than `maxBytes` unpacked */
export async function unpacked(
  bytes: Uint8Array,
  maxBytes: number,
  format: "gzip" | "deflate" = "gzip",
): Promise<Uint8Array> {
  const stream = new Blob([Uint8Array.from(bytes)]).stream().pipeThrough(new DecompressionStream(format));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  for await (const part of stream as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    total += part.length;
    if (total > maxBytes) throw new Error(`unpacks to more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
