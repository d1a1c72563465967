import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { planeFile } from "../charts/plane-file.ts";
import { loadPlot } from "../charts/plot-library.ts";
import { renderReport } from "./page.ts";
import { readRunData } from "./run-data.ts";
import { runPlane } from "./run-plane.ts";
import { untaughtOf } from "./states.ts";

/** Renders a run directory into its `report.html`; returns the file's path. */
export async function writeReport(directory: string, file: string = join(directory, "report.html")): Promise<string> {
  await writeGiven(file, renderReport(await loadPlot(), await readRunData(directory)));
  return file;
}

/** What a reader of a run must know first: that it ended worse than it began, that rows are lost, that it warned. */
export async function readWarnings(directory: string): Promise<readonly string[]> {
  const { decline, warnings } = await readRunData(directory);
  return decline === null ? warnings : [decline, ...warnings];
}

/**
 * Draws a run's accuracy-token plane into an SVG file.
 * @throws LaconicError `run_missing` when the run holds no evaluation yet.
 */
export async function writePicture(directory: string, file: string): Promise<void> {
  const { evaluations, states, budgetTokens } = await readRunData(directory);
  if (evaluations.length === 0)
    throw new LaconicError("run_missing", `${directory} holds no evaluation to draw`, { directory });
  await writeGiven(file, planeFile(await loadPlot(), runPlane(evaluations, budgetTokens, untaughtOf(states)), "wide"));
}

async function writeGiven(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new LaconicError("config_invalid", `${file} cannot be written: ${(error as Error).message}`, { file }, error);
  }
}
