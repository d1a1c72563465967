import { createHash } from "node:crypto";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { LaconicError } from "@laconic/core";
import { runFiles } from "@laconic/core/run-folder";
import { isWithin, RunPlace } from "./run-place.ts";

/** A folder that holds a run, a bench, or something that only looks like one. */
export interface FoundFolder {
  readonly kind: "run" | "bench";
  /** From where it lies: the same in every process. */
  readonly id: string;
  readonly place: RunPlace;
  readonly name: string;
  /** Below the folder that was opened. */
  readonly folder: string;
}

/** How deep runs are looked for below a folder that was opened: `sweeps/budgets/runs/NAME-0` is four deep. */
const maxDepth = 6;
const maxFolders = 20_000;

/** Whose presence makes a folder a run, or something like it. */
const marks = [runFiles.config, runFiles.manifest, runFiles.metrics, runFiles.episodes, "LOCK", "trainer_state.json"];

/**
 * Runs and benches in and below the folders that were opened. Links are followed within an opened folder and not out of it;
 * hidden folders, dependencies and what lies within a run are not looked into.
 * @param roots - without links
 */
export async function findFolders(roots: readonly string[]): Promise<FoundFolder[]> {
  const found = new Map<string, FoundFolder>();
  const seen = new Set<string>();
  const walk = async (root: string, folder: string, depth: number): Promise<void> => {
    if (seen.has(folder) || seen.size > maxFolders) return;
    seen.add(folder);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = new Set(entries.map(({ name }) => name));
    const add = (kind: FoundFolder["kind"]): void => {
      const id = folderId(folder);
      const below = relative(root, folder).split(sep).join("/");
      found.set(folder, { kind, id, place: new RunPlace(root, folder), name: basename(folder), folder: below });
    };
    const isBench = names.has("bench.json") && names.has("samples.jsonl");
    const isRun = !isBench && marks.some((name) => names.has(name));
    if (isBench) add("bench");
    if (isRun) add("run");
    // What stands beside a configuration of something else is looked into: it may be a whole project.
    if (
      isBench ||
      (isRun && (names.has(runFiles.metrics) || names.has(runFiles.checkpoints) || names.has("trainer_state.json")))
    )
      return;
    if (depth === maxDepth) return;
    for (const entry of entries.toSorted((a, b) => a.name.localeCompare(b.name))) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const below = await targetOf(root, join(folder, entry.name), entry);
      if (below !== null) await walk(root, below, depth + 1);
    }
  };
  for (const root of roots) await walk(root, root, 0);
  return [...found.values()];
}

/**
 * Names a run in addresses: `/dashboard/#/run/ID`.
 * @param folder - its path, without links
 */
export function folderId(folder: string): string {
  return createHash("sha256").update(folder).digest("hex").slice(0, 12);
}

/** The folder that an entry is, or leads to; null where it is none or leads out. */
async function targetOf(
  root: string,
  path: string,
  entry: { isDirectory(): boolean; isSymbolicLink(): boolean },
): Promise<string | null> {
  if (entry.isDirectory()) return path;
  if (!entry.isSymbolicLink()) return null;
  const target = await realpath(path).catch(() => null);
  if (target === null || !isWithin(root, target)) return null;
  const isFolder = await stat(target).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? target : null;
}

/** @throws LaconicError `config_invalid` for a folder that is not there */
export async function checkFolders({
  folders,
  mayCome = false,
}: {
  readonly folders: readonly string[];
  readonly mayCome?: boolean;
}): Promise<void> {
  for (const folder of folders)
    if (!mayCome && (await rootOf(folder)) === null)
      throw new LaconicError("config_invalid", `${folder} does not exist, or is no folder; name a folder with runs`, {
        folder,
      });
}

/** Where a folder really lies; null where there is none, or where the disk does not say. */
export async function rootOf(folder: string): Promise<string | null> {
  try {
    const path = await realpath(folder);
    return (await stat(path)).isDirectory() ? path : null;
  } catch {
    return null;
  }
}
