import { joinPath } from "@laconic/core/files";
import { isFolder, readPart, statFile } from "#platform";
import type { RunSource } from "../run/run-source.ts";

/** A run folder of this machine. Links are followed: a program that shows strangers' folders brings a source of its own. */
export function folderSource(folder: string): RunSource {
  return {
    stat: (name) => statFile(joinPath(folder, name)),
    bytes: (name, from, length) => readPart(joinPath(folder, name), from, length),
    isFolder: (name) => isFolder(joinPath(folder, name)),
  };
}
