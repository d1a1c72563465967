import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { seriesColour } from "@laconic/core/design";
import { counted, formatEstimate, formatNumber, formatPercent, formatShare } from "@laconic/core/text";
import { markdownOf, publishedAblation, publishedAblationSource, tableOf } from "@laconic/evaluation";
import type { Column, PublishedAblation } from "@laconic/evaluation";
import type { SkippedVariant, VariantResult } from "@laconic/runtime";
import { figuresText, planeFile, type PlaneChart, type PlanePoint } from "../charts/plane.ts";
import {
  byVariant,
  summariseSweep,
  type Difference,
  type SweepRow,
  type SweepSummary,
  endsOf,
  meanSide,
} from "./summary.ts";

/** Writes `sweep.md` and `sweep.svg`. */
export async function writeSweep(
  folder: string,
  results: readonly VariantResult[],
): Promise<{ readonly summary: SweepSummary; readonly text: string }> {
  const summary = await summariseSweep(folder, results);
  const table = markdownTable(summary.rows, [
    ["variant", ({ about }) => about],
    ["accuracy", ({ accuracy }) => formatPercent(accuracy)],
    ["tokens per episode", ({ tokens }) => tokens],
    ["on the frontier", ({ onFrontier }) => (onFrontier ? "yes" : "no")],
    ["accuracy against the first, points", (row) => differenceText(row.accuracyDifference, formatShare)],
    ["tokens against the first", (row) => differenceText(row.tokenDifference, formatNumber)],
    ["n, seeds", ({ seeds }) => String(seeds)],
  ]);
  const { hypervolume: area, tokensAtStartAccuracy } = summary;
  const cost =
    tokensAtStartAccuracy === null
      ? "no variant reaches the accuracy before training"
      : `its frontier reaches the accuracy before training with ${formatNumber(tokensAtStartAccuracy)} tokens`;
  const result = `${startText(summary)} The sweep dominates ${formatPercent(area)} of the accuracy-token plane; ${cost}.`;
  const text = [table, "", result, "", differencesNote(summary)].join("\n");
  await writeFile(join(folder, "sweep.md"), `${text}\n`);
  await writeVariantPicture(folder, "sweep", results);
  return { summary, text };
}

/** Result of an ablation. */
export interface AblationReport extends Omit<SweepSummary, "rows" | "hypervolume" | "tokensAtStartAccuracy"> {
  readonly seeds: readonly number[];
  /** Base first; differences are to it. */
  readonly rows: readonly (SweepRow & { readonly published: PublishedAblation | null })[];
  readonly skipped: readonly SkippedVariant[];
  readonly publishedSource: string;
}

/** Writes `ablation.md` and `ablation.svg`; returns figures and Markdown. */
export async function writeAblation(
  folder: string,
  results: readonly VariantResult[],
  { seeds, skipped, price }: Pick<AblationReport, "seeds" | "skipped" | "price">,
): Promise<{ readonly report: AblationReport; readonly text: string }> {
  const { rows: summaries, before, beforeLessons, problems, split } = await summariseSweep(folder, results, price);
  const rows = summaries.map((row) => ({ ...row, published: publishedAblation(row.variant) }));
  const publishedSource = publishedAblationSource;
  const report = { seeds, before, beforeLessons, problems, split, price, skipped, rows, publishedSource };
  const hasPublished = rows.some(({ published }) => published !== null);
  const isScored = price !== null;
  const columns: readonly Column<(typeof rows)[number]>[] = [
    ["variant", ({ variant }) => variant],
    ["what changes", ({ about }) => about],
    ["accuracy", ({ accuracy }) => formatPercent(accuracy)],
    ["tokens per episode", ({ tokens }) => tokens],
    ["score", ({ score }) => score ?? "–"],
    ["accuracy against base, points", (row) => differenceText(row.accuracyDifference, formatShare)],
    ["tokens against base", (row) => differenceText(row.tokenDifference, formatNumber)],
    ["score against base", (row) => differenceText(row.scoreDifference, formatNumber)],
    ["n, seeds", (row) => String(row.seeds)],
    ["published*", ({ published }) => published?.said ?? "-"],
  ];
  const shown = columns.filter(([head]) =>
    head.startsWith("score") ? isScored : head !== "published*" || hasPublished,
  );
  const score = isScored ? ` Score: accuracy minus ${formatNumber(price)} per token.` : "";
  const source = hasPublished ? ` *${publishedSource}.` : "";
  const remark = `${startText(report)} Seeds ${seeds.join(", ")}.${score} ${differencesNote(report)}${source}`;
  const sentences = [
    ...changeTexts(results),
    ...skipped.map(({ variant, reason }) => `${variant} was skipped: ${reason}.`),
  ];
  const text = [markdownTable(rows, shown), "", remark, "", ...sentences.map((sentence) => `- ${sentence}`)].join("\n");
  await writeFile(join(folder, "ablation.md"), `${text}\n`);
  await writeVariantPicture(folder, "ablation", results);
  return { report, text };
}

/** User text cannot leave its cell. */
function markdownTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const table = tableOf("", rows, columns);
  return markdownOf({ ...table, rows: table.rows.map((row) => row.map((cell) => cell.replaceAll(/\s+/gu, " "))) });
}

function startText({ before, beforeLessons }: Pick<SweepSummary, "before" | "beforeLessons">): string {
  const figures = ({ accuracy, tokens }: typeof before): string =>
    `${formatPercent(accuracy)} with ${formatNumber(tokens)} tokens per episode`;
  return beforeLessons
    ? `Before training, after the warm start: ${figures(before)}; before the warm start: ${figures(beforeLessons)}.`
    : `Before training: ${figures(before)}.`;
}

function differencesNote({ rows, problems, split }: Pick<SweepSummary, "rows" | "problems" | "split">): string {
  const seeds = Math.min(...rows.map((row) => row.seeds));
  if (seeds === 1)
    return `Differences: one seed on ${problems} ${split} problems, 95 % by the paired bootstrap over problems, or exact where few problems differ. One seed does not show the spread of seeds.`;
  const tested = rows.flatMap((row) => [row.accuracyDifference, row.tokenDifference, row.scoreDifference]);
  const comparisons = tested.filter((difference) => difference !== null && difference.p !== null).length;
  return `Differences: means of ${seeds} seeds on the same ${problems} ${split} problems, 95 % by Student's t over the seeds. p: Student's t, after Holm's correction over the ${counted(comparisons, "comparison")} of the table.`;
}

/** `-1.2 [-2, -0.4], p 0.02`. */
function differenceText(difference: Difference | null, format: (value: number) => string): string {
  const text = formatEstimate(difference, format);
  const p = difference?.p ?? null;
  return p === null ? text : `${text}, p ${p < 0.001 ? "< 0.001" : String(Number(p.toPrecision(2)))}`;
}

function changeTexts(results: readonly VariantResult[]): string[] {
  return byVariant(results).flatMap(({ name, runs: [run] }) => {
    const changes = (run?.changes ?? []).map(({ key, before, now }) => `${key}: ${before} -> ${now}`);
    return changes.length === 0 ? [] : [`${name} differs from the configuration in ${changes.join("; ")}.`];
  });
}

/** Writes `NAME.svg`, the accuracy-token plane. */
export async function writeVariantPicture(
  folder: string,
  name: string,
  results: readonly VariantResult[],
): Promise<void> {
  if (results.length === 0) return;
  const plane = variantPlane(results, "Where each variant ended");
  await writeFile(join(folder, `${name}.svg`), planeFile(plane, "wide"));
}

/** Numbered points with their seeds; a single variant is joined to its start. */
export function variantPlane(
  results: readonly VariantResult[],
  title: string,
  budget: number | null = null,
): PlaneChart {
  const { endOf } = endsOf(results);
  const variants = byVariant(results).map(({ name, runs }, i) => {
    const color = seriesColour(i);
    return { name, runs, color, end: meanSide(runs.map(endOf)) };
  });
  const starts = [
    ...new Map(results.map(({ seed, before }) => [`${seed} ${before.tokens} ${before.accuracy}`, before])).values(),
  ];
  const start = meanSide(starts);
  const isAlone = variants.length === 1;
  const faint = (end: VariantResult["after"], name: string, color: number): PlanePoint => {
    return { ...end, name, color, look: "faint" };
  };
  const counts = variants.map(({ runs }) => runs.length);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return {
    title,
    n: `${least === most ? most : `${least} to ${most}`} ${most === 1 ? "seed" : "seeds"}`,
    points: [
      ...(starts.length > 1 ? starts.map((side) => faint(side, "a start", 0)) : []),
      ...variants.flatMap(({ name, runs, color }) =>
        runs.length > 1 ? runs.map((run) => faint(endOf(run), `${name}, seed ${run.seed}`, color)) : [],
      ),
      { ...start, name: "before training", color: 0, look: "ring", label: "before" },
      ...variants.map(({ name, color, end }, i): PlanePoint => {
        return { ...end, name, color, label: isAlone ? "after" : String(i + 1) };
      }),
    ],
    lines: isAlone ? [{ positions: [start, ...variants.map(({ end }) => end)], color: 1, look: "path" }] : [],
    budget,
    legend: [
      { color: 0, isRing: true, text: `before training: ${figuresText(start)}` },
      ...variants.map(({ name, color, end }, i) => ({
        color,
        text: `${isAlone ? "after training" : `${i + 1}  ${name}`}: ${figuresText(end)}`,
      })),
    ],
  };
}
