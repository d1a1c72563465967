import { open, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** The few file operations a run needs, so that tests can fail, lose or stop any of them. Every write is on disk when it returns. */
export interface FileSystem {
  makeDirectory(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  list(path: string): Promise<string[]>;
  read(path: string): Promise<Uint8Array>;
  /** Creates or replaces a file and syncs it. */
  write(path: string, data: Uint8Array | string): Promise<void>;
  /** Fails when the file exists. */
  create(path: string, data: string): Promise<void>;
  append(path: string, data: Uint8Array | string): Promise<void>;
  /** Renames and syncs the parent directory. */
  rename(from: string, to: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  remove(path: string): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  makeDirectory: async (path) => void (await mkdir(path, { recursive: true })),
  exists: (path) =>
    stat(path).then(
      () => true,
      () => false,
    ),
  list: (path) => readdir(path),
  read: (path) => readFile(path),
  write: (path, data) => put(path, data, "w"),
  create: (path, data) => put(path, data, "wx"),
  append: (path, data) => put(path, data, "a"),
  rename: async (from, to) => {
    await rename(from, to);
    await syncDirectory(dirname(to));
  },
  syncDirectory,
  remove: (path) => rm(path, { recursive: true, force: true }),
};

async function put(path: string, data: Uint8Array | string, flags: string): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  try {
    const directory = await open(path, "r");
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch {
    // Windows cannot sync a directory; renames are durable there without it.
  }
}
