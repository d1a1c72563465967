import { buffer } from "node:stream/consumers";
import { dataError } from "@laconic/core";
import yauzl from "yauzl";

/** Limits bombs; the largest known archive has 10 MB. */
const maxBytes = 1 << 30;

export interface ZipEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Wanted files, sorted by name.
 * @throws LaconicError `data_invalid` for damage, a name outside the archive, or more than 1 GiB
 */
export async function zipEntries(
  file: string,
  bytes: Uint8Array,
  wanted: (name: string) => boolean,
): Promise<ZipEntry[]> {
  try {
    // The library refuses names like ../x and wrong lengths.
    const archive = await yauzl.fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const matches: ZipEntry[] = [];
    let total = 0;
    for await (const entry of archive.eachEntry()) {
      total += entry.uncompressedSize;
      if (total > maxBytes) throw new Error(`unpacks to more than ${maxBytes} bytes`);
      if (!entry.fileName.endsWith("/") && wanted(entry.fileName))
        matches.push({ name: entry.fileName, bytes: await buffer(await archive.openReadStreamPromise(entry)) });
    }
    return matches.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw dataError(`${file}: ${(error as Error).message}`, { file }, error);
  }
}
