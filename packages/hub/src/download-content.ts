import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { moveFile, writing } from "@laconic/core/platform";
import type { Hash } from "node:crypto";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { fileSize } from "./cache-layout.ts";
import { startHash } from "./content-hash.ts";
import { failureWords, throwIfStopped, type HubConnection } from "./hub-connection.ts";
import { openIncomplete, type IncompleteFile } from "./incomplete-file.ts";
import type { RepositoryFile } from "./repository.ts";

/** What a download needs beside the file. */
export interface DownloadContext {
  readonly hub: HubConnection;
  /** Below the endpoint. */
  readonly path: string;
  readonly blobs: string;
  readonly signal: AbortSignal | undefined;
  /** Called with the bytes that are here. */
  onBytes(bytes: number): void;
}

/**
 * Brings a content into the cache, from where an earlier attempt ended, and puts it in place once its hash is right.
 * @returns the path of the content
 * @throws LaconicError `checkpoint_corrupt` when the hub serves another content, `hub_unavailable`, `aborted`, `run_unwritable`
 */
export async function downloadContent(file: RepositoryFile, context: DownloadContext): Promise<string> {
  const blob = join(context.blobs, file.content.hex);
  if ((await fileSize(blob)) === file.bytes) {
    context.onBytes(file.bytes);
    return blob;
  }
  const part = await openIncomplete(context.blobs, file.content.hex);
  try {
    // What an earlier attempt left may be damaged: then once more from the start.
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

/** Fills the part up; false, and an empty part, when the whole has another hash. */
async function complete(file: RepositoryFile, part: IncompleteFile, context: DownloadContext): Promise<boolean> {
  let { hash, bytes } = await takeUp(file, part);
  context.onBytes(bytes);
  const restart = async (): Promise<void> => {
    await writing(part.path, () => part.file.truncate(0));
    [hash, bytes] = [startHash(file.content, file.bytes), 0];
  };
  for (let failures = 0; bytes < file.bytes;) {
    const before = bytes;
    const headers = { "accept-encoding": "identity", ...(bytes > 0 && { range: `bytes=${bytes}-` }) };
    const response = await context.hub.stream(context.path, headers);
    let reason = "too few bytes";
    try {
      const start = startOf(response, file.bytes);
      if (start !== bytes) await restart();
      if (start !== bytes) throw new Misfit();
      for await (const piece of bodyOf(response)) {
        if (bytes + piece.length > file.bytes) throw new Misfit();
        await writing(part.path, () => part.file.write(piece, 0, piece.length, bytes));
        hash.update(piece);
        bytes += piece.length;
        context.onBytes(bytes);
      }
    } catch (error) {
      await response.body?.cancel().catch(() => undefined);
      throwIfStopped(context.signal);
      if (LaconicError.is(error)) throw error;
      if (error instanceof Misfit) await restart();
      reason = failureWords(error);
    }
    if (bytes === file.bytes) break;
    if (bytes > before) failures = 0;
    await context.hub.pause(failures++, `the transfer of ${file.name} broke off (${reason})`);
  }
  if (hash.digest("hex") === file.content.hex) return true;
  await writing(part.path, () => part.file.truncate(0));
  return false;
}

/** An answer that is not the rest of the file. */
class Misfit extends Error {
  override readonly name = "Misfit";
}

/** The hash of what is there already. */
async function takeUp(file: RepositoryFile, part: IncompleteFile): Promise<{ hash: Hash; bytes: number }> {
  const hash = startHash(file.content, file.bytes);
  const bytes = (await fileSize(part.path)) ?? 0;
  if (bytes <= file.bytes) {
    for await (const piece of createReadStream(part.path)) hash.update(piece as Uint8Array);
    return { hash, bytes };
  }
  await writing(part.path, () => part.file.truncate(0));
  return { hash, bytes: 0 };
}

/** The byte at which an answer begins; null when it is no part of a file of this size. */
export function startOf({ status, headers }: Response, total: number): number | null {
  if (status === 200) return 0;
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("content-range") ?? "");
  return status === 206 && range && (range[2] === "*" || Number(range[2]) === total) ? Number(range[1]) : null;
}

/** The pieces of an answer; leaving early ends the transfer. */
export async function* bodyOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = (await reader.read()) as { done: boolean; value: Uint8Array };
      if (done) return;
      yield value;
    }
  } finally {
    // Leaving early ends the transfer.
    await reader.cancel().catch(() => undefined);
  }
}
