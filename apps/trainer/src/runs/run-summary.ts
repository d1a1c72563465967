import { open, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { nodeProcesses, readRunFacts, type RunFacts, type RunSource } from "@laconic/trainer/reading";

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
  /** How many. */
  readonly warnings: number;
  readonly config: unknown;
}

/**
 * What a run folder holds, by its small files; null for a folder that is no run's.
 * @param folder - of one run
 */
export async function readRunSummary(folder: string): Promise<RunSummary | null> {
  const facts = await readRunFacts(sourceOf(folder), { processes: nodeProcesses });
  const { environment, train: _, evaluations: __, warnings, ...shown } = facts;
  // A model's folder has a config.json too.
  if (shown.state === "foreign" && environment === null && shown.step === 0) return null;
  return { folder, name: basename(folder), ...shown, warnings: warnings.length };
}

function sourceOf(folder: string): RunSource {
  return {
    stat: (name) =>
      stat(join(folder, name)).then(
        (found) => (found.isFile() ? found : null),
        () => null,
      ),
    bytes: async (name, from, length) => {
      const file = await open(join(folder, name)).catch(() => null);
      if (!file) return null;
      try {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, from);
        return buffer.subarray(0, bytesRead);
      } catch {
        return null;
      } finally {
        await file.close();
      }
    },
  };
}
