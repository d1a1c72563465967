import { formatColumn, formatDuration, formatNumber, formatPercent, formatPoints } from "@laconic/core/text";
import { columnsOf, printable } from "./columns.ts";
import type { Comparison, RunGroup } from "./compare-runs.ts";
import type { Difference, Figure } from "./difference.ts";

const longest = 60;

/** A comparison as rows of cells, heads first: what the groups are, what their settings differ in, and their figures. */
export interface ComparisonRows {
  readonly groups: readonly string[];
  /** Empty where all settings are the same. */
  readonly settings: readonly (readonly string[])[];
  readonly figures: readonly (readonly string[])[];
}

/** Cells hold names that others chose: what shows them makes them safe. */
export function comparisonRows({ settings, groups, differences }: Comparison): ComparisonRows {
  const letters = groups.map((_, i) => letterOf(i));
  return {
    groups: groups.map((group, i) => `${letters[i]}  ${membersOf(group)}`),
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
        shown(accuracy, (values) => values.map((value) => formatPercent(value))),
        shown(tokens, formatColumn),
        shown(seconds, (values) => values.map(formatDuration)),
      ]),
      ...differences.map(({ accuracy, tokens, seconds }, i) => [
        `${letters[i + 1]} - ${letters[0]}`,
        "",
        points(accuracy),
        difference(tokens, (value) => signed(value, formatNumber)),
        difference(seconds, (value) => signed(value, formatDuration)),
      ]),
    ],
  };
}

/** A comparison as a terminal shows it. */
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

function membersOf({ runs }: RunGroup): string {
  const seeds = runs.map(({ seed }) => seed ?? "?");
  return `${runs.map(({ folder }) => folder).join(", ")} (seed ${seeds.join(", ")})`;
}

/** A, B, ... Z, then numbers. */
function letterOf(index: number): string {
  return index < 26 ? String.fromCodePoint(65 + index) : `#${index + 1}`;
}

function shown(figure: Figure | null, format: (values: readonly number[]) => readonly string[]): string {
  if (!figure) return "-";
  const [mean, low, high] = format([figure.mean, ...(figure.interval ?? [])]);
  return figure.interval ? `${mean} [${low}, ${high}]` : `${mean}`;
}

function points(of: Difference | null): string {
  return difference(of, (value) => `${formatPoints(value)} points`);
}

function difference(of: Difference | null, format: (value: number) => string): string {
  if (!of) return "-";
  const { value, low, high } = of;
  if (low === null || high === null) return format(value);
  return `${format(value)} [${format(low)}, ${format(high)}]${low <= 0 && high >= 0 ? ", could be none" : ""}`;
}

function signed(value: number, format: (value: number) => string): string {
  return `${value < 0 ? "−" : "+"}${format(Math.abs(value))}`;
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ");
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}
