import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatCells, formatNumber, formatPercent, formatShare } from "@laconic/core/text";
import type { Table } from "@laconic/evaluation";
import type { VariantResult } from "@laconic/runtime";
import { summariseSweep, type SweepSummary } from "./summary.ts";
import { beginningSaid, differencesNote, differenceText, markdownRows } from "./variant-text.ts";
import { writeVariantPicture } from "./write-variants.ts";

/**
 * Writes `sweep.md` and `sweep.svg` into the folder of a sweep.
 * @returns the figures, and the Markdown
 */
export async function writeSweep(
  folder: string,
  results: readonly VariantResult[],
): Promise<{ readonly summary: SweepSummary; readonly text: string }> {
  const summary = await summariseSweep(folder, results);
  const table = sweepTable(summary);
  const said = sweepSaid(summary);
  const remark = differencesNote(summary);
  const text = [...markdownRows(table), "", said, "", remark].join("\n");
  await writeFile(join(folder, "sweep.md"), `${text}\n`);
  await writeVariantPicture(folder, "sweep", results);
  return { summary, text };
}

/** The sweep as a table; units stand in its head. */
function sweepTable({ rows }: SweepSummary): Table {
  return {
    title: "Variants",
    columns: [
      "variant",
      "accuracy",
      "tokens per episode",
      "on the frontier",
      "accuracy against the first, points",
      "tokens against the first",
      "n, seeds",
    ],
    rows: formatCells(
      rows.map((row) => [
        row.about,
        formatPercent(row.accuracy),
        row.tokens,
        row.onFrontier ? "yes" : "no",
        differenceText(row.accuracyDifference, formatShare),
        differenceText(row.tokenDifference, formatNumber),
        String(row.seeds),
      ]),
    ),
  };
}

/** What a sweep came to, in words. */
function sweepSaid(summary: SweepSummary): string {
  const { hypervolume: area, tokensAtStartAccuracy } = summary;
  const cost =
    tokensAtStartAccuracy === null
      ? "no variant is as accurate"
      : `that accuracy costs ${formatNumber(tokensAtStartAccuracy)} tokens on its frontier`;
  return `${beginningSaid(summary)} The sweep dominates ${formatPercent(area)} of the plane up to these tokens; ${cost}.`;
}
