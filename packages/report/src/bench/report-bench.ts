import { resolve } from "node:path";
import { writeBenchReport, type BenchReport } from "@laconic/evaluation/bench";
import { configOfRun } from "@laconic/runtime";
import { readSpent } from "@laconic/runtime/spending";
import { loadPlot } from "../charts/plot-library.ts";
import { benchPage } from "./bench-page.ts";

/** Writes the tables of a bench of questions beside its samples, with a page of charts. */
export async function reportBench(directory: string): Promise<BenchReport> {
  return writeBenchReport(directory, {
    spent: await readSpent(directory),
    actorOf: async (run) => {
      const config = await configOfRun(resolve(run)).catch(() => null);
      const actor = config?.actor ?? (config && { model: config.model });
      return actor && "model" in actor ? actor.model : null;
    },
    page: async (content) => benchPage(await loadPlot(), content),
  });
}
