import { configError } from "@laconic/core";
import { joinBytes, sha256, type FileSystem } from "@laconic/core/files";
import type { ProcessTable } from "../reading/run-source.ts";

async function refuse(path: string): Promise<never> {
  throw configError(
    `${path}: a browser has no folders; pass a fileSystem to openRun, such as memoryFileSystem() of @laconic/core/files`,
    { key: "fileSystem" },
  );
}

export const nodeFileSystem: FileSystem = {
  makeDirectory: refuse,
  exists: refuse,
  list: refuse,
  read: refuse,
  size: refuse,
  readPart: refuse,
  digest: refuse,
  write: refuse,
  append: refuse,
  truncate: refuse,
  rename: refuse,
  syncFile: refuse,
  syncDirectory: refuse,
  remove: refuse,
};

export const nodeProcesses: ProcessTable = { pid: 1, host: "browser", isAlive: () => false };

export function absolutePath(path: string): string {
  return `/${path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/")}`;
}

/** Browsers have no folders. */
export const statFile = async (): Promise<null> => null;
export const isFolder = async (): Promise<boolean> => false;
export const readPart = async (): Promise<null> => null;

/** Incremental SHA-256; keeps the pieces until the end. */
export function sha256OfPieces(): { update(piece: Uint8Array): void; digest(): string } {
  const pieces: Uint8Array[] = [];
  return {
    update: (piece) => void pieces.push(piece),
    digest: () => sha256(joinBytes(pieces)),
  };
}

export async function gzipped(content: string | Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([content as string | Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @throws RangeError if the output exceeds `most` bytes */
export async function gunzip(bytes: Uint8Array, most: number): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return joinBytes(parts);
    parts.push(value);
    length += value.length;
    if (length > most) throw new RangeError(`it has more than ${most} bytes`);
  }
}
