import { createHash } from "node:crypto";
import { open, readdir, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

export interface WeightsFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly chunks: readonly string[];
}

export interface WeightsManifest {
  readonly chunkBytes: number;
  readonly files: readonly WeightsFile[];
  /** Chunks may be differences to this version. */
  readonly base: string | null;
}

export interface ChunkPlace {
  readonly file: string;
  readonly chunk: number;
}

/** No path separators, and no names of drafts. */
export const safeName: RegExp = /^(?!.*\.part$)\w[\w.-]{0,199}$/iu;
const name = z.string().regex(safeName);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/u);

export const manifestSchema: z.ZodType<WeightsManifest> = z
  .strictObject({
    chunkBytes: z
      .int()
      .min(1 << 10)
      .max(1 << 26),
    files: z
      .array(z.strictObject({ name, bytes: z.int().min(0), sha256, chunks: z.array(sha256) }))
      .min(1)
      .max(1000),
    base: name.nullable(),
  })
  .refine(
    ({ chunkBytes, files }) => files.every((file) => file.chunks.length === Math.ceil(file.bytes / chunkBytes)),
    "expected a hash for each chunk of a file",
  )
  .refine(
    ({ files }) => new Set(files.map((file) => file.name.toLowerCase())).size === files.length,
    "two files have the same name",
  );

export async function manifestOf(folder: string, chunkBytes: number): Promise<Omit<WeightsManifest, "base">> {
  const files: WeightsFile[] = [];
  for (const file of (await readdir(folder)).toSorted()) {
    const path = join(folder, file);
    const { size: bytes } = await stat(path);
    const whole = createHash("sha256");
    const chunks = await withFile(path, "r", async (handle) => {
      const digests: string[] = [];
      for (let offset = 0; offset < bytes; offset += chunkBytes) {
        const piece = await readChunk(handle, offset, Math.min(chunkBytes, bytes - offset));
        whole.update(piece);
        digests.push(digestOf(piece));
      }
      return digests;
    });
    files.push({ name: file, bytes, sha256: whole.digest("hex"), chunks });
  }
  return { chunkBytes, files };
}

export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export async function withFile<T>(path: string, flags: string, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path, flags);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

/** The last chunk may be shorter. */
export function chunkIn(
  path: string,
  chunk: number,
  { chunkBytes }: Pick<WeightsManifest, "chunkBytes">,
): Promise<Buffer> {
  return withFile(path, "r", (handle) => readChunk(handle, chunk * chunkBytes, chunkBytes));
}

/** Reads fewer bytes at the end of the file. */
export async function readChunk(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, offset + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}
