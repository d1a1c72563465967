import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatCells, formatEstimate, formatNumber, formatPercent, formatShare } from "@laconic/core/text";
import { publishedAblation, publishedAblationSource, type PublishedAblation, type Table } from "@laconic/evaluation";
import type { SkippedVariant, TuningRow, VariantResult } from "@laconic/runtime";
import { tokenChange } from "../run/figures-text.ts";
import { byVariant, summariseSweep, type Difference, type SweepRow, type SweepSummary } from "./summary.ts";
import { beginningSaid, differencesNote, differenceText, markdownRows } from "./variant-text.ts";
import { writeVariantPicture } from "./write-variants.ts";

/** What an ablation came to. */
export interface AblationReport extends Omit<SweepSummary, "rows" | "hypervolume" | "tokensAtStartAccuracy"> {
  readonly seeds: readonly number[];
  /** The base first. Differences are against it. */
  readonly rows: readonly (SweepRow & { readonly published: PublishedAblation | null })[];
  readonly skipped: readonly SkippedVariant[];
  readonly publishedSource: string;
  /** Everything that was tried to tune a variant; empty where nothing was. */
  readonly tuned: readonly TuningRow[];
}

/**
 * Writes `ablation.md` and `ablation.svg` into the folder of an ablation.
 * @returns the figures, and the Markdown: the table, its reading in words, variants that were left out
 */
export async function writeAblation(
  folder: string,
  results: readonly VariantResult[],
  { seeds, skipped, tuned, price }: Pick<AblationReport, "seeds" | "skipped" | "tuned" | "price">,
): Promise<{ readonly report: AblationReport; readonly text: string }> {
  const { rows, before, beforeLessons, problems, split } = await summariseSweep(folder, results, price);
  const report: AblationReport = {
    seeds,
    before,
    beforeLessons,
    problems,
    split,
    price,
    skipped,
    tuned,
    rows: rows.map((row) => ({ ...row, published: publishedAblation(row.variant) })),
    publishedSource: publishedAblationSource,
  };
  const table = ablationTable(report);
  const remark = remarkOf(report);
  const said = [
    ...readingOf(report),
    ...changesSaid(results),
    ...tunedSaid(tuned),
    ...skipped.map(({ variant, reason }) => `${variant} was left out: ${reason}.`),
  ];
  const text = [...markdownRows(table), "", remark, "", ...said.map((each) => `- ${each}`)].join("\n");
  await writeFile(join(folder, "ablation.md"), `${text}\n`);
  await writeVariantPicture(folder, "ablation", results);
  return { report, text };
}

/** The ablation as a table; units stand in its head. */
function ablationTable({ rows, price }: AblationReport): Table {
  const scored = price !== null;
  const published = rows.some((row) => row.published !== null);
  return {
    title: "Variants",
    columns: [
      "variant",
      "what changes",
      "accuracy",
      "tokens per episode",
      ...(scored ? ["score"] : []),
      "accuracy against base, points",
      "tokens against base",
      ...(scored ? ["score against base"] : []),
      "n, seeds",
      ...(published ? ["published*"] : []),
    ],
    rows: formatCells(
      rows.map((row) => [
        row.variant,
        row.about,
        formatPercent(row.accuracy),
        row.tokens,
        ...(scored ? [row.score] : []),
        differenceText(row.accuracyDifference, formatShare),
        differenceText(row.tokenDifference, formatNumber),
        ...(scored ? [differenceText(row.scoreDifference, formatNumber)] : []),
        String(row.seeds),
        ...(published ? [row.published?.said ?? "-"] : []),
      ]),
    ),
  };
}

/** What each variant has otherwise than the base, setting by setting: of all seeds the same, so of the first. */
function changesSaid(results: readonly VariantResult[]): string[] {
  return byVariant(results).flatMap(({ name, runs: [first] }) => {
    const changes = first?.changes ?? [];
    if (changes.length === 0) return [];
    return [
      `${name} differs from the configuration in ${changes.map(({ key, before, now }) => `${key}: ${before} -> ${now}`).join("; ")}.`,
    ];
  });
}

/** Every point of the grid that was tried, on validation problems. */
function tunedSaid(tuned: readonly TuningRow[]): string[] {
  return [...new Set(tuned.map(({ variant }) => variant))].map((name) => {
    const own = tuned.filter(({ variant }) => variant === name);
    const points = own.map(
      ({ value, accuracy, tokens, score, chosen }) =>
        `${value}: ${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens, score ${formatNumber(score)}${chosen ? " (chosen)" : ""}`,
    );
    const seeds = own[0]?.seeds ?? [];
    return `${name} was tuned on validation problems, ${seeds.length === 1 ? "seed" : "seeds"} ${seeds.join(", ")}: ${points.join("; ")}.`;
  });
}

/** Where the team began, of how many seeds and problems differences are, and whose the published figures. */
function remarkOf(report: AblationReport): string {
  const { rows, seeds, price, publishedSource } = report;
  const published = rows.some((row) => row.published !== null) ? ` *${publishedSource}.` : "";
  const score = price === null ? "" : ` Score: accuracy less ${formatNumber(price)} a token.`;
  return `${beginningSaid(report)} Seeds ${seeds.join(", ")}.${score} ${differencesNote(report)}${published}`;
}

/** A sentence for each variant: what its intervals show, and what they do not. */
function readingOf({ rows }: AblationReport): string[] {
  const [base, ...others] = rows;
  if (!base) return [];
  return others.map((row) => {
    const tokens = shown(row.tokenDifference, formatNumber, "tokens", ["fewer", "more"]);
    const times = base.tokens > 0 ? `, ${tokenChange(base.tokens, row.tokens, "base")}` : "";
    return `${row.variant}: ${tokens}${times}; ${shown(row.accuracyDifference, formatShare, "points of accuracy", ["lower", "higher"])}.`;
  });
}

function shown(
  difference: Difference | null,
  format: (value: number) => string,
  unit: string,
  [less, more]: readonly [string, string],
): string {
  if (difference === null) return `${unit} cannot be compared`;
  const { value, low, high, p } = difference;
  if (low === null || high === null) return `${unit}: ${formatEstimate(difference, format)}`;
  const [a, b] = [Math.abs(low), Math.abs(high)].map((each) => format(each));
  const isShown = p === null || p < 0.05;
  if (isShown && low > 0) return `${format(value)} ${unit} ${more} (${a} to ${b})`;
  if (isShown && high < 0) return `${format(-value)} ${unit} ${less} (${b} to ${a})`;
  return `${unit}: no difference that this shows (${differenceText(difference, format)})`;
}
