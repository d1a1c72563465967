import { dirname } from "node:path";
import type { FileSystem } from "@laconic/core/files";
import { nodeFileSystem } from "#platform";

/** Faults by call number, from 1. */
export interface Faults {
  /** A single call that fails with a system error. */
  readonly failAt?: number;
  /** First of the writes that fail, as on a full or read-only disk. */
  readonly failWritesFrom?: number;
  readonly code?: "ENOSPC" | "EROFS" | "EIO";
  /** A failed write stores half of its data, as when a disk becomes full. */
  readonly tears?: boolean;
  /** Call that kills the process: it and later calls throw {@link ProcessKilled}. */
  readonly killAt?: number;
  /** Data of the killing call on disk; `torn` writes half. Default `before`. */
  readonly killed?: "before" | "torn" | "after";
  /** The machine dies too: new files in directories never synced disappear. */
  readonly loseUnsynced?: boolean;
}

export interface FaultyFileSystem extends FileSystem {
  readonly calls: number;
}

/** Represents the end of the process; only tests catch it. */
export class ProcessKilled extends Error {
  override readonly name = "ProcessKilled";
}

type Operation = keyof FileSystem;
const writing: ReadonlySet<Operation> = new Set(["makeDirectory", "write", "append", "truncate", "rename", "remove"]);

/** Wraps a file system with configurable faults. */
export function faultyFileSystem(faults: Faults = {}, inner: FileSystem = nodeFileSystem): FaultyFileSystem {
  const { failAt, failWritesFrom = Infinity, code = "ENOSPC", killAt = Infinity, killed = "before" } = faults;
  let calls = 0;
  const unsynced = new Set<string>();

  async function call<T>(operation: Operation, path: string, run: () => Promise<T>, torn = run): Promise<T> {
    calls += 1;
    if (calls > killAt) throw new ProcessKilled(`call ${calls} after the kill`);
    if (calls === killAt) {
      if (killed !== "before") await (killed === "torn" ? torn : run)();
      if (faults.loseUnsynced) for (const text of unsynced) await inner.remove(text);
      throw new ProcessKilled(`killed in call ${calls}: ${operation} ${path}`);
    }
    if (calls === failAt || (calls >= failWritesFrom && writing.has(operation))) {
      if (faults.tears && torn !== run) await torn();
      throw Object.assign(new Error(`${code}: made to fail, ${operation} '${path}'`), { code, path });
    }
    return run();
  }
  const put = (operation: "write" | "append", path: string, data: Uint8Array | string): Promise<void> => {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    const run = async (part: Uint8Array): Promise<void> => {
      const isNew = !(await inner.exists(path));
      await inner[operation](path, part);
      if (isNew) unsynced.add(path);
    };
    return call(
      operation,
      path,
      () => run(bytes),
      () => run(bytes.slice(0, bytes.length >> 1)),
    );
  };
  const synced = (directory: string): void => {
    for (const path of unsynced) if (dirname(path) === directory) unsynced.delete(path);
  };

  return {
    get calls() {
      return calls;
    },
    makeDirectory: (path) => call("makeDirectory", path, () => inner.makeDirectory(path)),
    exists: (path) => call("exists", path, () => inner.exists(path)),
    list: (path) => call("list", path, () => inner.list(path)),
    read: (path) => call("read", path, () => inner.read(path)),
    size: (path) => call("size", path, () => inner.size(path)),
    readPart: (path, from, length) => call("readPart", path, () => inner.readPart(path, from, length)),
    digest: (path) => call("digest", path, () => inner.digest(path)),
    write: (path, data) => put("write", path, data),
    append: (path, data) => put("append", path, data),
    truncate: (path, bytes) => call("truncate", path, () => inner.truncate(path, bytes)),
    rename: (from, to) =>
      call("rename", to, async () => {
        await inner.rename(from, to);
        synced(dirname(to));
      }),
    syncFile: (path) => call("syncFile", path, () => inner.syncFile(path)),
    syncDirectory: (path) =>
      call("syncDirectory", path, async () => {
        await inner.syncDirectory(path);
        synced(path);
      }),
    remove: (path) => call("remove", path, () => inner.remove(path)),
  };
}
