import { publishedAblation, publishedAblationSource, type Interval, type PublishedAblation } from "@laconic/evaluation";
import { formatNumber, formatPercent } from "../cli/format.ts";
import { intervalText, type SweepRow, type SweepSummary } from "../sweep/sweep-report.ts";
import type { LeftOut } from "./choose-variants.ts";

/** What an ablation came to. */
export interface AblationReport {
  readonly seeds: readonly number[];
  /** The untrained team: mean over all runs. */
  readonly before: SweepSummary["before"];
  /** The base first. Differences are against it. */
  readonly rows: readonly (SweepRow & { readonly published: PublishedAblation | null })[];
  readonly leftOut: readonly LeftOut[];
  readonly publishedSource: string;
}

export function ablationReport(
  { rows, before }: SweepSummary,
  seeds: readonly number[],
  leftOut: readonly LeftOut[],
): AblationReport {
  return {
    ...{ seeds, before, leftOut },
    rows: rows.map((row) => ({ ...row, published: publishedAblation(row.variant) })),
    publishedSource: publishedAblationSource,
  };
}

/** Markdown: the table, what it says in words, what was left out. */
export function ablationText(report: AblationReport): string {
  const { rows, before, seeds, leftOut, publishedSource } = report;
  const published = rows.some((row) => row.published !== null);
  const line = (row: AblationReport["rows"][number]): string =>
    `| ${[
      cell(row.variant),
      cell(row.about),
      formatPercent(row.accuracy),
      formatNumber(row.tokens),
      intervalText(row.accuracyDifference, 100),
      intervalText(row.tokenDifference, 1),
      ...(published ? [row.published?.said ?? "-"] : []),
    ].join(" | ")} |`;
  return [
    `| variant | what changes | accuracy | tokens | accuracy against base, points | tokens against base |${published ? " published* |" : ""}`,
    `|---|---|---|---|---|---|${published ? "---|" : ""}`,
    ...rows.map((row) => line(row)),
    "",
    `Before training: ${formatPercent(before.accuracy)} with ${formatNumber(before.tokens)} tokens. Seeds ${seeds.join(", ")}; intervals: paired bootstrap over seeds and held-out problems, 95 %.${published ? ` *${publishedSource}.` : ""}`,
    "",
    ...readingOf(report).map((said) => `- ${said}`),
    ...leftOut.map(({ variant, reason }) => `- ${variant} was left out: ${reason}.`),
  ].join("\n");
}

/** A sentence for each variant: what its intervals show, and what they do not. */
function readingOf({ rows }: AblationReport): string[] {
  const [base, ...others] = rows;
  if (!base) return [];
  return others.map((row) => {
    const times = base.tokens > 0 ? ` (${(row.tokens / base.tokens).toFixed(2)} times those of base)` : "";
    const tokens = shown(row.tokenDifference, 1, "tokens", ["fewer", "more"]) + times;
    return `${row.variant}: ${tokens}; ${shown(row.accuracyDifference, 100, "points of accuracy", ["lower", "higher"])}.`;
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
