import { randomUUID } from "node:crypto";
import { constants, open, readdir, type FileHandle } from "node:fs/promises";
import { isProcessAlive, makeFolders, moveFile, removeFile, writing } from "@laconic/core/platform";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileSize } from "./cache-layout.ts";

/** Partial content in the cache. Only this process writes to it. */
export interface IncompleteFile {
  readonly file: FileHandle;
  readonly path: string;
  /** Closes the file and leaves its bytes for the next attempt of any process. */
  pause(): Promise<void>;
}

/**
 * Opens an abandoned partial file of a content, or a new one.
 * A part's name contains its writer: `<content>.<host>-<pid>-<id>.incomplete`. A process takes a part over by renaming
 * it. Parts of living processes and other hosts are not taken.
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

/** Process that abandoned a part. */
const nobody = 0;

function ownerOf(name: string, content: string, host: string): number | null {
  const match = /^([0-9a-f]+)\.(.*)-(\d+)-[0-9a-f]{8}\.incomplete$/.exec(name);
  return match && match[1] === content && match[2] === host ? Number(match[3]) : null;
}

function isAlive(pid: number): boolean {
  return pid !== nobody && isProcessAlive(pid);
}
