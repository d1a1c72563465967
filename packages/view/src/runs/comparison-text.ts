import { formatColumn, formatDuration, formatNumber, formatPercent, formatPoints } from "@laconic/core/text";
import { columnsOf, printable } from "./columns.ts";
import type { Comparison, Difference, Figure } from "./compare-runs.ts";

/** Comparison as rows of cells, heads first. Callers escape the cells. */
export interface ComparisonRows {
  readonly groups: readonly string[];
  /** Empty if all settings are equal. */
  readonly settings: readonly (readonly string[])[];
  readonly figures: readonly (readonly string[])[];
}

export function comparisonRows({ settings, groups, differences }: Comparison): ComparisonRows {
  const letters = groups.map((_, i) => (i < 26 ? String.fromCodePoint(65 + i) : `#${i + 1}`));
  return {
    groups: groups.map(({ runs }, i) => {
      const seeds = runs.map(({ seed }) => seed ?? "?");
      return `${letters[i]}  ${runs.map(({ folder }) => folder).join(", ")} (seed ${seeds.join(", ")})`;
    }),
    settings:
      settings.length === 0
        ? []
        : [
            ["SETTING", ...letters],
            ...settings.map(({ key, values }) => [key, ...values.map((value) => clip(value ?? "-"))]),
          ],
    figures: [
      ["", "n", "ACCURACY", "TOKENS", "TIME"],
      ...groups.map(({ runs, accuracy, tokens, seconds }, i) => [
        letters[i] as string,
        String(runs.length),
        figureText(accuracy, (values) => values.map((value) => formatPercent(value))),
        figureText(tokens, formatColumn),
        figureText(seconds, (values) => values.map(formatDuration)),
      ]),
      ...differences.map(({ accuracy, tokens, seconds }, i) => [
        `${letters[i + 1]} - ${letters[0]}`,
        "",
        differenceText(accuracy, (value) => `${formatPoints(value)} points`),
        differenceText(tokens, (value) => signed(value, formatNumber)),
        differenceText(seconds, (value) => signed(value, formatDuration)),
      ]),
    ],
  };
}

/** Formats a comparison for a terminal. */
export function comparisonText(comparison: Comparison): string {
  const { groups, settings, figures } = comparisonRows(comparison);
  const { notes } = comparison;
  const same = groups.length === 1 ? "Settings: the same but for the seed." : "Settings: the same.";
  return [
    ...groups,
    "",
    ...(settings.length === 0 ? [same] : columnsOf(settings)),
    "",
    ...columnsOf(figures),
    ...(notes.length === 0 ? [] : ["", ...notes]),
  ]
    .map((line) => printable(line))
    .join("\n");
}

function figureText(figure: Figure | null, format: (values: readonly number[]) => readonly string[]): string {
  if (!figure) return "-";
  const [mean, low, high] = format([figure.mean, ...(figure.interval ?? [])]);
  return figure.interval ? `${mean} [${low}, ${high}]` : `${mean}`;
}

function differenceText(difference: Difference | null, format: (value: number) => string): string {
  if (!difference) return "-";
  const { value, low, high } = difference;
  if (low === null || high === null) return format(value);
  return `${format(value)} [${format(low)}, ${format(high)}]${low <= 0 && high >= 0 ? ", could be none" : ""}`;
}

function signed(value: number, format: (value: number) => string): string {
  return `${value < 0 ? "−" : "+"}${format(Math.abs(value))}`;
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ");
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}
