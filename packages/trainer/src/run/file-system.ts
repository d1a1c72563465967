import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { LaconicError } from "@laconic/core";

/** Length and SHA-256 of a file. */
export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** The few file operations a run needs, so that tests can fail, lose or stop any of them. Every write is on disk when it returns. */
export interface FileSystem {
  makeDirectory(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  list(path: string): Promise<string[]>;
  read(path: string): Promise<Uint8Array>;
  /** Streams the file, which may be larger than memory. */
  digest(path: string): Promise<FileDigest>;
  /** Creates or replaces a file and syncs it. */
  write(path: string, data: Uint8Array | string): Promise<void>;
  append(path: string, data: Uint8Array | string): Promise<void>;
  /** Renames and syncs the parent directory. */
  rename(from: string, to: string): Promise<void>;
  /** Syncs a file that somebody else wrote. */
  syncFile(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** Node's own file system. */
export const nodeFileSystem: FileSystem = {
  makeDirectory: async (path) => void (await mkdir(path, { recursive: true })),
  exists: (path) =>
    stat(path).then(
      () => true,
      () => false,
    ),
  list: (path) => readdir(path),
  read: (path) => readFile(path),
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
  rename: async (from, to) => {
    await rename(from, to);
    await syncDirectory(dirname(to));
  },
  syncFile: (path) => sync(path, "r+"), // Windows syncs only what is open for writing
  syncDirectory,
  remove: (path) => rm(path, { recursive: true, force: true }),
};

/** Writes a file beside the old one, then renames it over: a kill leaves one of the two whole. */
export async function replaceFile(fs: FileSystem, path: string, data: string): Promise<void> {
  await fs.write(`${path}.tmp`, data);
  await fs.rename(`${path}.tmp`, path);
}

/** System errors that the user can mend: full, read-only, over quota, not permitted, a file in the way. */
const unwritable = new Set(["ENOSPC", "EROFS", "EDQUOT", "EACCES", "EPERM", "ENOTDIR", "EEXIST"]);

/**
 * A system error of writing, or an engine's `run_unwritable`, as one `run_unwritable` that says what to do; anything else as it
 * is.
 */
export function explainWriteError(error: unknown, directory: string): unknown {
  const isOurs = LaconicError.is(error) && error.code === "run_unwritable";
  if (!(error instanceof Error)) return error;
  const reason = !isOurs && "code" in error && typeof error.code === "string" ? error.code : null;
  if (!isOurs && (reason === null || !unwritable.has(reason))) return error;
  const message = isOurs ? error.message : `${directory} cannot be written: ${error.message}`;
  return new LaconicError(
    "run_unwritable",
    `${message}; what was saved before is whole: mend the cause and resume`,
    { directory, ...(reason !== null && { reason }) },
    error,
  );
}

/** The same file system whose failing writes say which run they belong to and what to do. */
export function explainedFileSystem(fs: FileSystem, directory: string): FileSystem {
  const explained = <T>(done: Promise<T>): Promise<T> =>
    done.catch((error: unknown) => {
      throw explainWriteError(error, directory);
    });
  return {
    makeDirectory: (path) => explained(fs.makeDirectory(path)),
    exists: (path) => fs.exists(path),
    list: (path) => fs.list(path),
    read: (path) => fs.read(path),
    digest: (path) => fs.digest(path),
    write: (path, data) => explained(fs.write(path, data)),
    append: (path, data) => explained(fs.append(path, data)),
    rename: (from, to) => explained(fs.rename(from, to)),
    syncFile: (path) => explained(fs.syncFile(path)),
    syncDirectory: (path) => explained(fs.syncDirectory(path)),
    remove: (path) => explained(fs.remove(path)),
  };
}

async function put(path: string, data: Uint8Array | string, flags: string): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function sync(path: string, flags: string): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** What systems answer that cannot sync a directory; their renames are durable without it. */
const cannotSync = new Set(["EPERM", "EACCES", "EISDIR", "EINVAL", "ENOTSUP"]);

async function syncDirectory(path: string): Promise<void> {
  await sync(path, "r").catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && cannotSync.has(String(error.code)))) throw error;
  });
}
