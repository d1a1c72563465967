import { joinPath, type FileSystem } from "@laconic/core/files";
import { isFolder, readPart, statFile } from "#platform";
import type { RunSource } from "./run-source.ts";

/** A local run folder. Links are followed. */
export function folderSource(folder: string): RunSource {
  return {
    stat: (name) => statFile(joinPath(folder, name)),
    bytes: (name, from, length) => readPart(joinPath(folder, name), from, length),
    isFolder: (name) => isFolder(joinPath(folder, name)),
  };
}

/** Reads a run folder through a file system. */
export function fileSystemSource(fs: FileSystem, folder: string): RunSource {
  const path = (name: string): string => joinPath(folder, name);
  return {
    stat: async (name) => ((await fs.exists(path(name))) ? { size: await fs.size(path(name)), mtimeMs: 0 } : null),
    bytes: (name, from, length) => fs.readPart(path(name), from, length),
  };
}
