import { gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { LaconicError } from "../errors.ts";

type Unpack = typeof gunzipSync;

const unpackers: Readonly<Record<"gzip" | "deflate" | "deflate-raw", Unpack>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  "deflate-raw": inflateRawSync,
};

/** A row of a run may have 256 MiB, and shares what is packed with others. */
const mostOfRun: number = 300 << 20;

/**
 * What was packed by zlib. Every reader of packed bytes uses it: a few megabytes may claim to be terabytes.
 * @param most - bytes that it may become
 * @throws LaconicError `data_invalid` for invalid or truncated bytes, and for larger results
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
    const reason = isTooMuch ? `they become more than ${most} bytes` : (error as Error).message;
    throw new LaconicError("data_invalid", `packed bytes cannot be read: ${reason}`, { most }, error);
  }
}
