import { lstat, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Stats } from "node:fs";
import { folderSource, type RunSource } from "@laconic/trainer/reading";

/** Links that leave the opened folder are never followed. */
export class RunPlace implements RunSource {
  readonly root: string;
  readonly folder: string;
  readonly #files: RunSource;
  /** Failed system calls except missing files. Later reads may succeed. */
  failures = 0;

  constructor(root: string, folder: string) {
    [this.root, this.folder, this.#files] = [root, folder, folderSource(folder)];
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
      if (!["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code))) this.failures += 1;
      return null;
    }
  }

  isFolder(name: string): Promise<boolean> {
    return lstat(join(this.folder, name)).then(
      (entry) => entry.isDirectory(),
      () => false,
    );
  }

  async bytes(name: string, from: number, length: number): Promise<Uint8Array | null> {
    const bytes = await this.#files.bytes(name, from, length);
    if (!bytes) this.failures += 1;
    return bytes;
  }
}

/** Whether a path equals a folder or is below it; both resolved. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
