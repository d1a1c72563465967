import { appendFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FileSystem } from "@laconic/core/files";
import { nodeFileSystem } from "#platform";
import type { TinyRunOptions } from "../src/testing/tiny-run.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

export async function runFolder(): Promise<string> {
  return join(await temporaryFolder(), "run");
}

/** Without syncs, whose absence a process kill cannot reveal; `loseUnsynced` models it. */
export const unsyncedFiles: FileSystem = {
  ...nodeFileSystem,
  write: (path, data) => writeFile(path, data),
  append: (path, data) => appendFile(path, data),
  rename,
  syncFile: async () => undefined,
  syncDirectory: async () => undefined,
};

export function stoppingAfter(step: number): Required<Pick<TinyRunOptions, "signal" | "observer">> {
  const stop = new AbortController();
  return { signal: stop.signal, observer: { step: (metrics) => void (metrics["step"] === step && stop.abort()) } };
}
