import { randomUUID } from "node:crypto";
import { constants, open, readdir, type FileHandle } from "node:fs/promises";
import { isProcessAlive, makeFolders, moveFile, removeFile, writing } from "@laconic/core/platform";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileSize } from "./cache-layout.ts";

/** A content on its way into the cache. Only this process writes to it. */
export interface IncompleteFile {
  readonly file: FileHandle;
  readonly path: string;
  /** Closes it and leaves what is there, if it is still there and anything is, for the next attempt of any process. */
  pause(): Promise<void>;
}

/**
 * Opens a part of a content that nobody is writing, or a new empty file.
 *
 * A part's name says which process writes it, `<content>.<host>-<pid>-<id>.incomplete`. Whoever renames a part owns it;
 * one of a living process, or of another host, is left alone, since two writers would only double the traffic.
 * @throws LaconicError `run_unwritable`
 */
export async function openIncomplete(blobs: string, content: string): Promise<IncompleteFile> {
  const host = hostname().replaceAll(/[^\w.]/g, "_");
  const named = (pid: number): string =>
    join(blobs, `${content}.${host}-${pid}-${randomUUID().slice(0, 8)}.incomplete`);
  const path = named(process.pid);
  return writing(path, async () => {
    await makeFolders(blobs);
    for (const name of await readdir(blobs)) {
      const owner = ownerOf(name, content, host);
      if (owner === null || isAlive(owner)) continue;
      const claimed = await moveFile(join(blobs, name), path).then(
        () => true,
        () => false,
      );
      if (claimed) break;
    }
    const file = await open(path, constants.O_RDWR | constants.O_CREAT);
    return {
      file,
      path,
      async pause() {
        await file.close();
        if ((await fileSize(path)) === 0) return removeFile(path);
        await moveFile(path, named(nobody)).catch(() => undefined);
      },
    };
  });
}

/** The process that gave a part up. */
const nobody = 0;

function ownerOf(name: string, content: string, host: string): number | null {
  const match = /^([0-9a-f]+)\.(.*)-(\d+)-[0-9a-f]{8}\.incomplete$/.exec(name);
  return match && match[1] === content && match[2] === host ? Number(match[3]) : null;
}

function isAlive(pid: number): boolean {
  return pid !== nobody && isProcessAlive(pid);
}
