import { randomUUID } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { open, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { isProcessAlive, makeFolders, moveFile, removeFile, writing } from "@laconic/core/platform";
import { fileSize } from "./cache-layout.ts";
import { startOf, type HubConnection } from "./hub-connection.ts";
import { startHash, type RepositoryFile } from "./repository.ts";

/**
 * Downloads a content into the cache, with resume. The file appears after its hash is verified.
 * @param onBytes - called with the number of bytes on disk
 * @throws LaconicError `checkpoint_corrupt` for other content, `hub_unavailable`, `aborted`, `run_unwritable`
 */
export async function downloadContent(
  hub: HubConnection,
  file: RepositoryFile,
  blobs: string,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const blob = join(blobs, file.content.hex);
  if ((await fileSize(blob)) === file.bytes) {
    onBytes(file.bytes);
    return blob;
  }
  const part = await openPart(blobs, file.content.hex);
  const attempt = (): Promise<boolean> => complete(hub, file, part, onBytes);
  try {
    // Earlier attempts may have left damaged bytes, so a second one starts from zero.
    if (!(await attempt()) && !(await attempt())) {
      await rm(part.path, { force: true });
      throw new LaconicError(
        "checkpoint_corrupt",
        `${file.name}: the ${file.bytes} downloaded bytes do not have the ${file.content.kind} hash ${file.content.hex}`,
        { file: file.name },
      );
    }
    await writing(blob, async () => {
      await part.file.sync();
      await part.file.close();
      await moveFile(part.path, blob);
    });
    return blob;
  } finally {
    await part.pause();
  }
}

class Misfit extends Error {
  override readonly name = "Misfit";
}

/** Completes the part; on a hash mismatch, empties it and returns false. */
async function complete(
  hub: HubConnection,
  file: RepositoryFile,
  { file: part, path }: Part,
  onBytes: (bytes: number) => void,
): Promise<boolean> {
  let hash = startHash(file.content, file.bytes);
  let position = (await fileSize(path)) ?? 0;
  const restart = async (): Promise<void> => {
    await writing(path, () => part.truncate(0));
    [hash, position] = [startHash(file.content, file.bytes), 0];
  };
  if (position > file.bytes) await restart();
  else for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array);
  onBytes(position);
  await hub.transfer(file, {
    get position() {
      return position;
    },
    end: file.bytes,
    range: () => (position > 0 ? `bytes=${position}-` : null),
    begin(response) {
      if (startOf(response, file.bytes) !== position) throw new Misfit();
    },
    async add(piece) {
      if (position + piece.length > file.bytes) throw new Misfit();
      await writing(path, () => part.write(piece, 0, piece.length, position));
      hash.update(piece);
      position += piece.length;
      onBytes(position);
    },
    async recover(error) {
      if (error instanceof Misfit) await restart();
    },
  });
  if (hash.digest("hex") === file.content.hex) return true;
  await writing(path, () => part.truncate(0));
  return false;
}

type Part = Awaited<ReturnType<typeof openPart>>;

/** Process that abandoned a part. */
const nobody = 0;

/**
 * Opens an abandoned partial file of a content, or a new one: `<content>.<host>-<pid>-<id>.incomplete`. A process
 * takes a part over by renaming it, unless its writer is alive or on another host.
 */
async function openPart(blobs: string, content: string) {
  const host = hostname().replaceAll(/[^\w.]/g, "_");
  const named = (pid: number): string =>
    join(blobs, `${content}.${host}-${pid}-${randomUUID().slice(0, 8)}.incomplete`);
  const isAbandoned = (name: string): boolean => {
    const match = /^([0-9a-f]+)\.(.*)-(\d+)-[0-9a-f]{8}\.incomplete$/.exec(name);
    if (!match || match[1] !== content || match[2] !== host) return false;
    const pid = Number(match[3]);
    return pid === nobody || !isProcessAlive(pid);
  };
  const path = named(process.pid);
  return writing(path, async () => {
    await makeFolders(blobs);
    for (const name of (await readdir(blobs)).filter(isAbandoned)) {
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
      /** Leaves the bytes for the next attempt of any process. */
      async pause(): Promise<void> {
        await file.close();
        if ((await fileSize(path)) === 0) return removeFile(path);
        await moveFile(path, named(nobody)).catch(() => undefined);
      },
    };
  });
}
