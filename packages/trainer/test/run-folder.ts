import { appendFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FileSystem } from "@laconic/core/files";
import { nodeFileSystem } from "#platform";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** A place for a run, which goes with its test. */
export async function runFolder(): Promise<string> {
  return join(await temporaryFolder(), "run");
}

/** Without its syncs, which no kill of a process alone can tell; what a lost sync costs is modelled by `loseUnsynced`. */
export const unsyncedFiles: FileSystem = {
  ...nodeFileSystem,
  write: (path, data) => writeFile(path, data),
  append: (path, data) => appendFile(path, data),
  rename,
  syncFile: async () => undefined,
  syncDirectory: async () => undefined,
};
