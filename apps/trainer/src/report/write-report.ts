import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { renderReport } from "./page.ts";
import { readRunData } from "./run-data.ts";

/** Renders a run directory into its `report.html`; returns the file's path. */
export async function writeReport(directory: string, file: string = join(directory, "report.html")): Promise<string> {
  await writeFile(file, renderReport(await readRunData(directory)));
  return file;
}
