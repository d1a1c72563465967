import { LaconicError } from "@laconic/core";
import { planeFile } from "../charts/plane-chart.ts";
import { loadPlot } from "../charts/plot-library.ts";
import { firstProblemText } from "./first-problem.ts";
import { renderReport } from "./page.ts";
import { readRunData } from "./run-data.ts";
import { runPlane } from "./run-plane.ts";
import { beforeWarmStart } from "./states.ts";

/** A run folder as its report shows it. */
export interface RunReport {
  /** What a reader must know first: that the run ended worse than it began, that rows are lost, that it warned. */
  readonly warnings: readonly string[];
  /** The first problem that was recorded before and after training, with the team's messages; null without one. */
  readonly firstProblem: string | null;
  /** The page with charts and transcripts: HTML that needs nothing else. */
  page(): Promise<string>;
  /**
   * The accuracy-token plane as an SVG file.
   * @param size - `narrow` has room for a phone, `wide` by default
   * @throws LaconicError `run_missing` when the run holds no evaluation yet
   */
  picture(size?: "wide" | "narrow"): Promise<string>;
}

/**
 * Reads a run folder for its report.
 * @throws LaconicError `run_missing` when there is no run
 */
export async function readReport(directory: string): Promise<RunReport> {
  const data = await readRunData(directory);
  const { decline, warnings, evaluations, states, budgetTokens, transcripts } = data;
  return {
    warnings: decline === null ? warnings : [decline, ...warnings],
    firstProblem: firstProblemText(transcripts),
    page: async () => renderReport(await loadPlot(), data),
    async picture(size = "wide") {
      if (evaluations.length === 0)
        throw new LaconicError("run_missing", `${directory} holds no evaluation to draw`, { directory });
      return planeFile(await loadPlot(), runPlane(evaluations, budgetTokens, beforeWarmStart(states)), size);
    },
  };
}
