import { stepSeconds } from "./run-facts.ts";
import { runFiles } from "@laconic/core/run-folder";
import { folderSource } from "./folder-source.ts";
import { readRows } from "./rows.ts";

/**
 * What the steps of a run took, in all the processes that trained it; evaluations are not steps. Null before the first.
 * @param before - only steps before this one
 */
export async function trainingSeconds(directory: string, before: number = Infinity): Promise<number | null> {
  const rows = await readRows(folderSource(directory), runFiles.timing);
  const timing = rows.filter(({ step }) => Number(step) < before);
  return timing.length === 0 ? null : timing.reduce((sum, row) => sum + stepSeconds(row), 0);
}
