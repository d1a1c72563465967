import { lstat, open, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Stats } from "node:fs";

/** A folder below one that was opened, and its files: nothing is read that lies elsewhere, whatever links say. */
export class RunPlace {
  /** Both without links. */
  readonly root: string;
  readonly folder: string;
  /** Calls that the system refused otherwise than for a file that is not there: what was read then may be read again. */
  failures = 0;

  constructor(root: string, folder: string) {
    this.root = root;
    this.folder = folder;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Of a plain file; null where there is none, or where it leads out of the opened folder. */
  async stat(name: string): Promise<Stats | null> {
    const path = this.path(name);
    try {
      const own = await lstat(path);
      if (own.isFile()) return own;
      if (!own.isSymbolicLink() || !isWithin(this.root, await realpath(path))) return null;
      const target = await stat(path);
      return target.isFile() ? target : null;
    } catch (error) {
      return this.#failed(error);
    }
  }

  #failed(error: unknown): null {
    if (!["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code))) this.failures += 1;
    return null;
  }

  /** Of the folder's own, links aside. */
  isFolder(name: string): Promise<boolean> {
    return lstat(this.path(name)).then(
      (found) => found.isDirectory(),
      () => false,
    );
  }

  /** The text of a small file; null where there is none, or it is larger. */
  async text(name: string, maxBytes: number = 8 << 20): Promise<string | null> {
    const found = await this.stat(name);
    if (!found || found.size > maxBytes) return null;
    const bytes = await this.bytes(name, 0, found.size);
    return bytes && bytes.toString("utf8");
  }

  /** Of a file that is there: so many bytes from a place, or as many as there are; null where it cannot be read. */
  async bytes(name: string, from: number, length: number): Promise<Buffer | null> {
    const buffer = Buffer.allocUnsafe(length);
    const read = await this.readInto(name, buffer, from);
    return read === null ? null : buffer.subarray(0, read);
  }

  /** @returns how many bytes there were; null where the file cannot be read */
  async readInto(name: string, buffer: Buffer, from: number): Promise<number | null> {
    // Opened for each reading: who renames another file into its place never meets an open one.
    const file = await open(this.path(name), "r").catch((error: unknown) => this.#failed(error));
    if (!file) return null;
    try {
      let read = 0;
      while (read < buffer.length) {
        const { bytesRead } = await file.read(buffer, read, buffer.length - read, from + read);
        if (bytesRead === 0) break;
        read += bytesRead;
      }
      return read;
    } catch (error) {
      return this.#failed(error);
    } finally {
      await file.close();
    }
  }
}

/** Whether a path is a folder or lies below it; both without links. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
