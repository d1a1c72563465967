import { rmdir } from "node:fs/promises";
import { makeFolders, moveFile, writing } from "@laconic/core/platform";
import { dirname, join } from "node:path";
import { inputError } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import { fileSize } from "./cache-layout.ts";
import { downloadContent } from "./download-content.ts";
import { HubConnection } from "./hub-connection.ts";
import type { SnapshotOptions } from "./open-snapshot.ts";
import { contentId, type ContentId } from "./repository.ts";

export interface FileDownload extends Pick<SnapshotOptions, "signal" | "fetch" | "wait"> {
  /** https address without credentials. */
  readonly url: string;
  readonly bytes: number;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  /** Target path; its folder is created. */
  readonly path: string;
  /** Bytes on disk. */
  readonly onProgress?: (bytes: number) => void;
}

const checkOptions = optionCheck<FileDownload>()("downloadFile", "url bytes sha256 path signal onProgress fetch wait");

/**
 * Downloads a file with known bytes from any web server, with resume and retries. The file appears after its sha256
 * is verified. An existing file of that size is kept.
 * @throws LaconicError `hub_unavailable`, `checkpoint_missing`, `checkpoint_corrupt`, `run_unwritable`, `aborted`,
 * `input_invalid`
 */
export async function downloadFile(options: FileDownload): Promise<void> {
  checkOptions(options);
  const { path, bytes, signal } = options;
  if ((await fileSize(path)) === bytes) return options.onProgress?.(bytes);
  const url = new URL(options.url);
  const hub = new HubConnection({
    endpoint: url.origin,
    fetch: options.fetch ?? fetch,
    wait: options.wait,
    signal,
    place: options.url,
    server: url.host,
  });
  const parts = join(dirname(path), ".parts");
  try {
    const file = { name: path, path: url.pathname.slice(1), bytes, content: hashOf(options) };
    const content = await downloadContent(hub, file, parts, (count) => options.onProgress?.(count));
    await writing(path, async () => {
      await makeFolders(dirname(path));
      await moveFile(content, path);
    });
  } finally {
    await rmdir(parts).catch(() => undefined); // another download may use or resume it
  }
}

function hashOf({ sha256 }: FileDownload): ContentId {
  const content = contentId("sha256", sha256);
  if (content) return content;
  throw inputError(`sha256 is ${JSON.stringify(sha256)}, expected 64 hexadecimal digits`);
}
