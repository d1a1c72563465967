import { lstat, open, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Stats } from "node:fs";
import type { RunSource } from "@laconic/trainer/reading";

/** Files of a folder below an opened one. Links that leave the opened folder are never followed. */
export class RunPlace implements RunSource {
  /** Both resolved. */
  readonly root: string;
  readonly folder: string;
  /** Failed system calls except missing files. Later reads may succeed. */
  failures = 0;

  constructor(root: string, folder: string) {
    [this.root, this.folder] = [root, folder];
  }

  async stat(name: string): Promise<Stats | null> {
    const path = join(this.folder, name);
    try {
      const entry = await lstat(path);
      if (entry.isFile()) return entry;
      if (!entry.isSymbolicLink() || !isWithin(this.root, await realpath(path))) return null;
      const target = await stat(path);
      return target.isFile() ? target : null;
    } catch (error) {
      return this.#failed(error);
    }
  }

  isFolder(name: string): Promise<boolean> {
    return lstat(join(this.folder, name)).then(
      (entry) => entry.isDirectory(),
      () => false,
    );
  }

  async bytes(name: string, from: number, length: number): Promise<Buffer | null> {
    // Opened per read: Windows cannot rename a file onto an open one.
    const file = await open(join(this.folder, name), "r").catch((error: unknown) => this.#failed(error));
    if (!file) return null;
    const buffer = Buffer.allocUnsafe(length);
    try {
      let read = 0;
      while (read < length) {
        const { bytesRead } = await file.read(buffer, read, length - read, from + read);
        if (bytesRead === 0) break;
        read += bytesRead;
      }
      return buffer.subarray(0, read);
    } catch (error) {
      return this.#failed(error);
    } finally {
      await file.close();
    }
  }

  #failed(error: unknown): null {
    if (!["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code))) this.failures += 1;
    return null;
  }
}

/** Whether a path equals a folder or is below it; both resolved. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
