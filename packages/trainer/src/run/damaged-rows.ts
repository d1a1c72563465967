import { thrownText } from "@laconic/core";
import { completeSteps, readManifest } from "./find-checkpoint.ts";
import { joinPath, type FileSystem } from "@laconic/core/files";
import { runFiles } from "@laconic/core/run-folder";
import { traceNames } from "../reading/run-files.ts";
import { cutTraces } from "./traces.ts";

/** What the rows of a run are not that its last checkpoint saw, naming the file; null where they are, or nothing tells. */
export async function damagedRows(fs: FileSystem, directory: string): Promise<string | null> {
  const checkpoints = joinPath(directory, runFiles.checkpoints);
  const [last] = await completeSteps(fs, checkpoints);
  if (last === undefined) return null;
  const manifest = await readManifest(fs, joinPath(checkpoints, last)).catch(() => null);
  if (manifest === null) return null;
  try {
    await cutTraces(fs, directory, traceNames, manifest.step, manifest.traces ?? null);
    return null;
  } catch (error) {
    return thrownText(error);
  }
}
