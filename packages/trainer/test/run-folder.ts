import { appendFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FileSystem } from "@laconic/core/files";
import { nodeFileSystem } from "#platform";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** Run folder that is deleted after its test. */
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
