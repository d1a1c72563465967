import { formatNumber, formatPercent } from "@laconic/core/text";
import { markdownOf, type Table } from "@laconic/evaluation";
import type { SweepSummary } from "./summary.ts";

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

/** Of how many seeds and problems differences are, and what so few of them cannot show. */
export function differencesNote(seeds: number, problems: number, split: SweepSummary["split"]): string {
  const few =
    seeds === 1
      ? " One seed says nothing about another one."
      : seeds < 5
        ? ` n = ${seeds} seeds: intervals of so few are narrower than they say.`
        : "";
  return `Differences: means of ${seeds} ${seeds === 1 ? "seed" : "seeds"} on ${problems} ${split} problems each, 95 % by the paired bootstrap over seeds and problems, or exact where few problems differ.${few}`;
}
