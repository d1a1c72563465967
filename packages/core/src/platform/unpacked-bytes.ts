import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { dataError } from "../errors.ts";

const unpackers: Readonly<Record<"gzip" | "deflate" | "deflate-raw" | "br", typeof gunzipSync>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  "deflate-raw": inflateRawSync,
  br: brotliDecompressSync,
};

/** Max bytes of rows that are packed together. */
const mostOfRun: number = 300 << 20;

/**
 * Unpacks compressed data up to `most` bytes, because a few megabytes may expand to terabytes.
 * @throws LaconicError `data_invalid`
 */
export function unpackedBytes(
  bytes: Uint8Array,
  most: number = mostOfRun,
  form: keyof typeof unpackers = "gzip",
): Uint8Array<ArrayBuffer> {
  try {
    return unpackers[form](bytes, { maxOutputLength: Math.max(1, most) });
  } catch (error) {
    const isTooMuch = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    const reason = isTooMuch ? `the unpacked size is above ${most} bytes` : (error as Error).message;
    throw dataError(`packed bytes cannot be read: ${reason}`, { most }, error);
  }
}
