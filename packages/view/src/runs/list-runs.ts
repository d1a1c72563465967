import { basename, join, relative } from "node:path";
import { configError } from "@laconic/core";
import { columnsOf, formatDuration, formatNumber, formatPercent, visibleText } from "@laconic/core/text";
import {
  describeChanges,
  folderSource,
  nodeProcesses,
  readRunFacts,
  type ChangesOfStep,
  type RunFacts,
} from "@laconic/trainer/reading";
import { findFolders, realFolder } from "./find-folders.ts";

/** Run in a list. */
export interface RunSummary extends Omit<
  RunFacts,
  "environment" | "train" | "evaluations" | "changes" | "warnings" | "test"
> {
  readonly folder: string;
  readonly name: string;
  readonly changes: readonly ChangesOfStep[];
  readonly warnings: number;
}

/** Null if the folder has no run. */
export async function readRunSummary(folder: string): Promise<RunSummary | null> {
  const facts = await readRunFacts(folderSource(folder), { processes: nodeProcesses });
  const { environment, changes, warnings, train: _, evaluations: __, test: ___, ...shown } = facts;
  // Model folders have a config.json too.
  if (shown.state === "foreign" && environment === null && shown.step === 0) return null;
  return { folder, name: basename(folder), ...shown, changes: describeChanges(changes), warnings: warnings.length };
}

/** Runs in and below a folder, newest first. @throws LaconicError `config_invalid` for a missing folder */
export async function listRuns(folder: string): Promise<RunSummary[]> {
  const root = await realFolder(folder);
  if (root === null) throw configError(`${folder} is not a folder`, { folder });
  const runs: RunSummary[] = [];
  for (const foundFolder of await findFolders([root])) {
    const run = foundFolder.kind === "run" ? await readRunSummary(join(folder, foundFolder.folder)) : null;
    if (run) runs.push(run);
  }
  return runs.toSorted((a, b) => b.updated - a.updated);
}

/** Formats runs as lines. @param folder - base of relative paths */
export function runLines(runs: readonly RunSummary[], folder: string): string[] {
  const head = ["RUN", "STATE", "STEPS", "ACCURACY", "TOKENS", "TIME", "DEVICE", "WARNINGS"];
  return columnsOf([head, ...runs.map((run) => cells(run, folder))]);
}

function cells(run: RunSummary, folder: string): string[] {
  const { state, step, plannedSteps, before, after, warmStart, seconds, device, warnings } = run;
  const fromTo = (show: (value: number) => string, of: "accuracy" | "tokens"): string => {
    if (!before) return "-";
    return [warmStart?.before, before, after].flatMap((row) => (row ? show(row[of]) : [])).join(" -> ");
  };
  return [
    relative(folder, run.folder) || run.name,
    state,
    plannedSteps === null ? String(step) : `${step}/${plannedSteps}`,
    fromTo(formatPercent, "accuracy"),
    fromTo(formatNumber, "tokens"),
    seconds === null ? "-" : formatDuration(seconds),
    device ?? "-",
    String(warnings),
  ].map((cell) => visibleText(cell).replaceAll(/\s+/gu, " "));
}
