import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { renderPlane } from "../charts/plane-chart.ts";
import { planeFile } from "../charts/plane-file.ts";
import { loadPlot, type Plot } from "../charts/plot-library.ts";
import { htmlPage, tiles } from "../pages/html-page.ts";
import { tableSection } from "../pages/table-section.ts";
import { type Table } from "@laconic/evaluation";
import { escapeHtml, formatNumber, formatPercent } from "@laconic/core/text";
import type { VariantResult } from "@laconic/runtime";
import { variantPlane } from "./variant-plane.ts";
import type { SweepSummary } from "./sweep-report.ts";

/** What a sweep or an ablation says on its page. */
export interface VariantPage {
  readonly heading: string;
  readonly results: readonly VariantResult[];
  readonly summary: SweepSummary;
  readonly table: Table;
  /** Under the table: of how many seeds and problems its intervals are. */
  readonly remark: string;
  /** Further sentences. */
  readonly said: readonly string[];
}

/** The page of a sweep or an ablation: the plane, the table, what it says in words. */
export function variantPage(plot: Plot, { heading, results, summary, table, remark, said }: VariantPage): string {
  const { before, rows } = summary;
  return htmlPage(
    heading,
    [
      tiles([
        [`${formatPercent(before.accuracy)}, ${formatNumber(before.tokens)} tokens`, "before training"],
        [String(rows.length), rows.length === 1 ? "variant" : "variants"],
        [String(results.length), results.length === 1 ? "run" : "runs"],
      ]),
      renderPlane(plot, variantPlane(results, "Where each variant ended"), "plane"),
      tableSection(table, "table", remark),
      said.length === 0
        ? ""
        : `<h2>What this shows</h2><ul>${said.map((each) => `<li>${escapeHtml(each)}</li>`).join("")}</ul>`,
    ].join("\n"),
  );
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
