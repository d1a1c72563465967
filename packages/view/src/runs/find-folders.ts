import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { configError } from "@laconic/core";
import { sha256 } from "@laconic/core/files";
import { benchFiles, runFiles } from "@laconic/core/run-folder";
import { isWithin, RunPlace } from "./run-place.ts";

export interface FoundFolder {
  readonly kind: "run" | "bench";
  readonly id: string;
  readonly location: RunPlace;
  readonly name: string;
  /** Relative to the opened folder, with `/`. */
  readonly folder: string;
}

/** `sweeps/budgets/runs/NAME-0` is four deep. */
const maxDepth = 6;
const maxFolders = 20_000;

const foreignState = "trainer_state.json";
const runMarks = [runFiles.config, runFiles.manifest, runFiles.metrics, runFiles.episodes, "LOCK", foreignState];
/** Entries of a run that exclude nested runs. */
const leafMarks = [runFiles.metrics, runFiles.checkpoints, foreignState];

/**
 * Finds runs and benches in and below the opened folders. Follows links only within an opened folder. Skips hidden
 * folders, dependencies and subfolders of runs.
 * @param roots - resolved paths
 */
export async function findFolders(roots: readonly string[]): Promise<FoundFolder[]> {
  const folders: FoundFolder[] = [];
  const seen = new Set<string>();
  const walk = async (root: string, path: string, depth: number): Promise<void> => {
    if (seen.has(path) || seen.size > maxFolders) return;
    seen.add(path);
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    const names = new Set(entries.map(({ name }) => name));
    const isBench = names.has(benchFiles.settings) && names.has(benchFiles.samples);
    const isRun = runMarks.some((name) => names.has(name));
    if (isBench || isRun)
      folders.push({
        kind: isBench ? "bench" : "run",
        id: folderId(path),
        location: new RunPlace(root, path),
        name: basename(path),
        folder: relative(root, path).split(sep).join("/"),
      });
    // A folder with only a configuration may be a project, so it is searched too.
    if (isBench || (isRun && leafMarks.some((name) => names.has(name))) || depth === maxDepth) return;
    for (const entry of entries.toSorted((a, b) => a.name.localeCompare(b.name))) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const below = entry.isSymbolicLink() ? await realFolder(join(path, entry.name)) : join(path, entry.name);
      if (below !== null && (entry.isDirectory() || (entry.isSymbolicLink() && isWithin(root, below))))
        await walk(root, below, depth + 1);
    }
  };
  for (const root of roots) await walk(root, root, 0);
  return folders;
}

/** Returns a run's address id, equal in every process: `/dashboard/#/run/ID`. @param folder - resolved path */
export function folderId(folder: string): string {
  return sha256(folder).slice(0, 12);
}

/** @throws LaconicError `config_invalid` for a missing folder */
export async function checkFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders)
    if ((await realFolder(folder)) === null)
      throw configError(`${folder}: folder not found; name a folder with runs`, { folder });
}

/** Resolved; null for anything else or a failing disk. */
export async function realFolder(folder: string): Promise<string | null> {
  try {
    const path = await realpath(folder);
    return (await stat(path)).isDirectory() ? path : null;
  } catch {
    return null;
  }
}
