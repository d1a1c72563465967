import { basename } from "node:path";
import {
  describeChanges,
  folderSource,
  nodeProcesses,
  type ChangesOfStep,
  readRunFacts,
  type RunFacts,
} from "@laconic/trainer/reading";

type Shown =
  | "state"
  | "reason"
  | "step"
  | "plannedSteps"
  | "before"
  | "after"
  | "lessons"
  | "seconds"
  | "device"
  | "seed"
  | "updated";

/** A run in a line. */
export interface RunSummary extends Pick<RunFacts, Shown> {
  readonly folder: string;
  readonly name: string;
  /** Settings that were changed while it went on. */
  readonly changes: readonly ChangesOfStep[];
  /** How many. */
  readonly warnings: number;
  readonly config: unknown;
}

/**
 * What a run folder holds, by its small files; null for a folder that is no run's.
 * @param folder - of one run
 */
export async function readRunSummary(folder: string): Promise<RunSummary | null> {
  const facts = await readRunFacts(folderSource(folder), { processes: nodeProcesses });
  const { environment, train: _, evaluations: __, changes, warnings, ...shown } = facts;
  // A model's folder has a config.json too.
  if (shown.state === "foreign" && environment === null && shown.step === 0) return null;
  return { folder, name: basename(folder), ...shown, changes: describeChanges(changes), warnings: warnings.length };
}
