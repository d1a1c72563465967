import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { moveFile, writing } from "@laconic/core/platform";
import { fileSize } from "./cache-layout.ts";
import { openIncomplete, type IncompleteFile } from "./incomplete-file.ts";
import { startHash, type RepositoryFile } from "./repository.ts";
import { startOf, transfer, type TransferContext } from "./transfer.ts";

/** Request for a file and the path of its content. */
export interface DownloadContext extends TransferContext {
  readonly blobs: string;
  /** Called with the number of bytes on disk. */
  onBytes(bytes: number): void;
}

/**
 * Downloads a content into the cache. Resumes an earlier attempt, and publishes the file after its hash is verified.
 * @returns path of the content
 * @throws LaconicError `checkpoint_corrupt` if the hub sends other content, `hub_unavailable`, `aborted`,
 * `run_unwritable`
 */
export async function downloadContent(file: RepositoryFile, context: DownloadContext): Promise<string> {
  const blob = join(context.blobs, file.content.hex);
  if ((await fileSize(blob)) === file.bytes) {
    context.onBytes(file.bytes);
    return blob;
  }
  const part = await openIncomplete(context.blobs, file.content.hex);
  try {
    // An earlier attempt may have left damaged bytes, so a second attempt starts from zero.
    if (!(await complete(file, part, context)) && !(await complete(file, part, context))) {
      await rm(part.path, { force: true });
      throw new LaconicError(
        "checkpoint_corrupt",
        `${file.name}: what was served has ${file.bytes} bytes whose ${file.content.kind} hash is not ${file.content.hex}`,
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

/** Response that is not the rest of the file. */
class Misfit extends Error {
  override readonly name = "Misfit";
}

/** Completes the part; on a hash mismatch, empties it and returns false. */
async function complete(file: RepositoryFile, part: IncompleteFile, context: DownloadContext): Promise<boolean> {
  let hash = startHash(file.content, file.bytes);
  let position = (await fileSize(part.path)) ?? 0;
  const restart = async (): Promise<void> => {
    await writing(part.path, () => part.file.truncate(0));
    [hash, position] = [startHash(file.content, file.bytes), 0];
  };
  if (position > file.bytes) await restart();
  else for await (const piece of createReadStream(part.path)) hash.update(piece as Uint8Array);
  context.onBytes(position);
  await transfer(file.name, context, {
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
      await writing(part.path, () => part.file.write(piece, 0, piece.length, position));
      hash.update(piece);
      position += piece.length;
      context.onBytes(position);
    },
    async recover(error) {
      if (error instanceof Misfit) await restart();
    },
  });
  if (hash.digest("hex") === file.content.hex) return true;
  await writing(part.path, () => part.file.truncate(0));
  return false;
}
