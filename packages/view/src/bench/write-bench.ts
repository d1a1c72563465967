import { resolve } from "node:path";
import { writeBenchReport, type BenchReport } from "@laconic/evaluation/bench";
import { configOfRun } from "@laconic/runtime";
import { readSpent } from "@laconic/runtime/spending";

/** Writes the bench's tables next to its samples: Markdown, CSV and LaTeX. */
export async function writeBench(directory: string): Promise<BenchReport> {
  return writeBenchReport(directory, {
    spent: await readSpent(directory),
    actorOf: async (run) => {
      const config = await configOfRun(resolve(run)).catch(() => null);
      const actor = config?.actor ?? (config && { model: config.model });
      return actor && "model" in actor ? actor.model : null;
    },
  });
}
