import { counted, formatEstimate, formatNumber, formatPercent } from "@laconic/core/text";
import { markdownOf, type Table } from "@laconic/evaluation";
import type { Difference, SweepSummary } from "./summary.ts";

/** A table as lines of Markdown, without its title. What a user named or wrote stays in its cell. */
export function markdownRows({ title, columns, rows }: Table): string[] {
  const inLine = rows.map((row) => row.map((cell) => cell.replaceAll(/\s+/gu, " ")));
  return markdownOf({ title, columns, rows: inLine }).split("\n").slice(2);
}

/** Where the training began, and what was before its warm start. */
export function beginningSaid({ before, beforeLessons }: Pick<SweepSummary, "before" | "beforeLessons">): string {
  const said = ({ accuracy, tokens }: typeof before): string =>
    `${formatPercent(accuracy)} with ${formatNumber(tokens)} tokens per episode`;
  return beforeLessons
    ? `Before training, after the warm start: ${said(before)}; before the warm start: ${said(beforeLessons)}.`
    : `Before training: ${said(before)}.`;
}

/** Of how many seeds and problems differences are, what their intervals and p-values are, and what one seed cannot show. */
export function differencesNote({ rows, problems, split }: Pick<SweepSummary, "rows" | "problems" | "split">): string {
  const seeds = Math.min(...rows.map((row) => row.seeds));
  if (seeds === 1)
    return `Differences: one seed on ${problems} ${split} problems, 95 % by the paired bootstrap over problems, or exact where few problems differ. One seed says nothing about another one.`;
  const tested = rows.flatMap((row) => [row.accuracyDifference, row.tokenDifference, row.scoreDifference]);
  const comparisons = tested.filter((each) => each !== null && each.p !== null).length;
  return `Differences: means of ${seeds} seeds on the same ${problems} ${split} problems, 95 % by Student's t over the seeds. p: Student's t, after Holm's correction over the ${counted(comparisons, "comparison")} of the table.`;
}

/** A difference with its interval and its p-value: `-1.2 [-2, -0.4], p 0.02`. */
export function differenceText(difference: Difference | null, format: (value: number) => string): string {
  const text = formatEstimate(difference, format);
  const p = difference?.p ?? null;
  return p === null ? text : `${text}, p ${p < 0.001 ? "< 0.001" : String(Number(p.toPrecision(2)))}`;
}
