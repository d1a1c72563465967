import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { writeBenchReport, type BenchReport } from "@laconic/evaluation/bench";
import { configOfRun, type VariantResult } from "@laconic/runtime";
import { readSpent } from "@laconic/runtime/spending";
import type { RunAnalysis } from "./analysis/analyse-run.ts";
import { analysisHtml, speechFile } from "./analysis/analysis-report.ts";
import { analysisMarkdown } from "./analysis/analysis-tables.ts";
import { planeFile } from "./charts/plane-chart.ts";
import { loadPlot } from "./charts/plot-library.ts";
import { benchPage } from "./pages/bench-page.ts";
import type { VariantPage } from "./variants/summary.ts";
import { variantPage, variantPlane } from "./variants/variant-page.ts";

/** Writes `analysis.json`, `analysis.md`, `analysis.html`, `message-values.jsonl` and `speech-graph.svg` into a run; returns the Markdown. */
export async function writeAnalysis(run: string, { analysis, messages }: RunAnalysis): Promise<string> {
  const plot = await loadPlot();
  const markdown = analysisMarkdown(analysis);
  await writeFile(join(run, "analysis.json"), `${JSON.stringify(analysis, null, 2)}\n`);
  await writeFile(join(run, "analysis.md"), markdown);
  await writeFile(join(run, "analysis.html"), analysisHtml(plot, analysis));
  const rows = messages.map((each) => `${JSON.stringify(each)}\n`);
  await writeFile(join(run, "message-values.jsonl"), rows.join(""));
  await writeFile(join(run, "speech-graph.svg"), speechFile(plot, analysis));
  return markdown;
}

/** Writes the tables of a bench of questions beside its samples, with a page of charts. */
export async function writeBench(directory: string): Promise<BenchReport> {
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

/** Writes `NAME.svg`, the plane as a picture. */
export async function writeVariantPicture(
  folder: string,
  name: string,
  results: readonly VariantResult[],
): Promise<void> {
  if (results.length === 0) return;
  const plane = variantPlane(results, "Where each variant ended");
  await writeFile(join(folder, `${name}.svg`), planeFile(await loadPlot(), plane, "wide"));
}

/** Writes `NAME.html` and `NAME.svg`. */
export async function writeVariantPages(folder: string, name: string, page: VariantPage): Promise<void> {
  await writeFile(join(folder, `${name}.html`), variantPage(await loadPlot(), page));
  await writeVariantPicture(folder, name, page.results);
}
