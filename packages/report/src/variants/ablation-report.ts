import { formatNumber, formatPercent } from "@laconic/core/text";
import {
  publishedAblation,
  publishedAblationSource,
  type Interval,
  type PublishedAblation,
  type Table,
} from "@laconic/evaluation";
import { tokenChange } from "../run/token-change.ts";
import { beginningSaid, differencesNote, intervalText, type SweepRow, type SweepSummary } from "./sweep-report.ts";
import type { SkippedVariant } from "@laconic/runtime";

/** What an ablation came to. */
export interface AblationReport {
  readonly seeds: readonly number[];
  /** The untrained team: mean over all runs. */
  readonly before: SweepSummary["before"];
  readonly beforeLessons: SweepSummary["beforeLessons"];
  /** Held-out problems with a score, the fewest of any run. */
  readonly problems: number;
  /** The base first. Differences are against it. */
  readonly rows: readonly (SweepRow & { readonly published: PublishedAblation | null })[];
  readonly skipped: readonly SkippedVariant[];
  readonly publishedSource: string;
}

export function ablationReport(
  { rows, before, beforeLessons, problems }: SweepSummary,
  seeds: readonly number[],
  skipped: readonly SkippedVariant[],
): AblationReport {
  return {
    seeds,
    before,
    beforeLessons,
    problems,
    skipped,
    rows: rows.map((row) => ({ ...row, published: publishedAblation(row.variant) })),
    publishedSource: publishedAblationSource,
  };
}

/** The ablation as a table; units stand in its head. */
export function ablationRows({ rows }: AblationReport): Table {
  const published = rows.some((row) => row.published !== null);
  return {
    title: "Variants",
    columns: [
      "variant",
      "what changes",
      "accuracy",
      "tokens per episode",
      "accuracy against base, points",
      "tokens against base",
      "n, seeds",
      ...(published ? ["published*"] : []),
    ],
    rows: rows.map((row) => [
      row.variant,
      row.about,
      formatPercent(row.accuracy),
      formatNumber(row.tokens),
      intervalText(row.accuracyDifference, 100),
      intervalText(row.tokenDifference, 1),
      String(row.seeds),
      ...(published ? [row.published?.said ?? "-"] : []),
    ]),
  };
}

/** Under the table: where the team began, of how many seeds and problems differences are, and whose the published figures. */
export function ablationRemark(report: AblationReport): string {
  const { rows, seeds, problems, publishedSource } = report;
  const published = rows.some((row) => row.published !== null) ? ` *${publishedSource}.` : "";
  return `${beginningSaid(report)} Seeds ${seeds.join(", ")}. ${differencesNote(seeds.length, problems)}${published}`;
}

/** What the variants show in words, and what was left out. */
export function ablationSaid(report: AblationReport): string[] {
  return [...readingOf(report), ...report.skipped.map(({ variant, reason }) => `${variant} was left out: ${reason}.`)];
}

/** Markdown: the table, what it says in words, what was left out. */
export function ablationText(report: AblationReport): string {
  const { columns, rows } = ablationRows(report);
  const line = (cells: readonly string[]): string => `| ${cells.map((text) => cell(text)).join(" | ")} |`;
  return [
    line(columns),
    line(columns.map(() => "---")),
    ...rows.map((row) => line(row)),
    "",
    ablationRemark(report),
    "",
    ...ablationSaid(report).map((said) => `- ${said}`),
  ].join("\n");
}

/** A sentence for each variant: what its intervals show, and what they do not. */
function readingOf({ rows }: AblationReport): string[] {
  const [base, ...others] = rows;
  if (!base) return [];
  return others.map((row) => {
    const tokens = shown(row.tokenDifference, 1, "tokens", ["fewer", "more"]);
    const times = base.tokens > 0 ? `, ${tokenChange(base.tokens, row.tokens, "base")}` : "";
    return `${row.variant}: ${tokens}${times}; ${shown(row.accuracyDifference, 100, "points of accuracy", ["lower", "higher"])}.`;
  });
}

function shown(
  interval: Interval | null,
  scale: number,
  unit: string,
  [less, more]: readonly [string, string],
): string {
  if (interval === null) return `${unit} cannot be compared`;
  const { value, low, high } = interval;
  const [a, b] = [Math.abs(low), Math.abs(high)].map((each) => (scale * each).toFixed(1));
  if (low > 0) return `${(scale * value).toFixed(1)} ${unit} ${more} (${a} to ${b})`;
  if (high < 0) return `${(-scale * value).toFixed(1)} ${unit} ${less} (${b} to ${a})`;
  return `${unit}: no difference that this shows (${intervalText(interval, scale)})`;
}

/** What a user named or wrote stays in its cell. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/gu, " ");
}
