import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, readFile, stat, type FileHandle } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { gzip } from "node:zlib";
import type { FileSystem } from "@laconic/core/files";
import { isProcessAlive, makeFolder, moveFile, removeFile, syncFolder, unpackedBytes } from "@laconic/core/platform";
import type { ProcessTable } from "../reading/run-source.ts";

export const nodeFileSystem: FileSystem = {
  makeDirectory: makeFolder,
  exists: (path) =>
    stat(path).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(error.code ?? "")) return false;
        throw error; // an unreadable path may exist
      },
    ),
  list: (path) => readdir(path),
  read: (path) => readFile(path),
  size: async (path) => (await stat(path)).size,
  readPart: (path, from, length) => withFile(path, "r", (file) => readFrom(file, from, length)),
  digest: async (path) => {
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const chunk of createReadStream(path)) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
    return { bytes, sha256: hash.digest("hex") };
  },
  write: (path, data) => put(path, data, "w"),
  append: (path, data) => put(path, data, "a"),
  truncate: (path, bytes) =>
    withFile(path, "r+", async (file) => {
      await file.truncate(bytes);
      await file.sync();
    }),
  rename: async (from, to) => {
    await moveFile(from, to);
    await syncFolder(dirname(to));
  },
  syncFile: (path) => withFile(path, "r+", (file) => file.sync()), // Windows syncs only files open for writing
  syncDirectory: syncFolder,
  remove: (path) => removeFile(path),
};

export const nodeProcesses: ProcessTable = {
  pid: process.pid,
  host: hostname(),
  isAlive: isProcessAlive,
};

/** Incremental SHA-256; more pieces may follow a digest. */
export function sha256OfPieces(): { update(piece: Uint8Array): void; digest(): string } {
  const hash = createHash("sha256");
  return { update: (piece) => void hash.update(piece), digest: () => hash.copy().digest("hex") };
}

export function absolutePath(path: string): string {
  return resolve(path);
}

async function withFile<T>(path: string, flags: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

function put(path: string, data: Uint8Array | string, flags: string): Promise<void> {
  return withFile(path, flags, async (file) => {
    await file.writeFile(data);
    await file.sync();
  });
}

async function readFrom(file: FileHandle, from: number, length: number): Promise<Uint8Array> {
  // Node's pool would keep a larger buffer alive.
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}

export async function statFile(
  path: string,
): Promise<{ readonly size: number; readonly mtimeMs: number; readonly ino: number } | null> {
  const match = await stat(path).catch(() => null);
  return match?.isFile() === true ? match : null;
}

export function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (match) => match.isDirectory(),
    () => false,
  );
}

/** Reads up to `length` bytes; null if unreadable. */
export function readPart(path: string, from: number, length: number): Promise<Uint8Array | null> {
  return nodeFileSystem.readPart(path, from, length).catch(() => null);
}

export function gzipped(content: string | Uint8Array): Promise<Uint8Array> {
  return new Promise((done, failed) => {
    gzip(content, (error, packed) => (error ? failed(error) : done(packed)));
  });
}

/** @throws Error for invalid gzip data, or output above `most` bytes */
export async function gunzip(bytes: Uint8Array, most: number): Promise<Uint8Array> {
  return unpackedBytes(bytes, most);
}
