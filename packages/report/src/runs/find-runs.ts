import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readRunSummary, type RunSummary } from "./run-summary.ts";

/** A sweep's runs lie two folders below its own. */
const deepest = 4;

/** Runs in a folder and below it, those changed last first. Links are not followed, and nothing is looked for inside a run. */
export async function findRuns(folder: string): Promise<RunSummary[]> {
  const found: RunSummary[] = [];
  const visit = async (path: string, depth: number): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    const summary = entries.some(({ name }) => name === "config.json") ? await readRunSummary(path) : null;
    if (summary) found.push(summary);
    if (summary || depth === deepest) return;
    for (const entry of entries)
      if (entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
        await visit(join(path, entry.name), depth + 1);
  };
  await visit(folder, 0);
  return found.toSorted((a, b) => b.updated - a.updated);
}
