import { ledgerTotals } from "@laconic/core";
import {
  frontierOf,
  hypervolume,
  pairedBootstrapOverRuns,
  tokensAtAccuracy,
  type Interval,
  type Table,
} from "@laconic/evaluation";
import { eachEpisode, folderSource } from "@laconic/trainer/reading";
import { formatNumber, formatPercent } from "@laconic/core/text";
import { runFolder, type VariantResult } from "@laconic/runtime";

/** A variant over its seeds. */
export interface SweepRow {
  readonly variant: string;
  readonly about: string;
  readonly seeds: number;
  readonly accuracy: number;
  readonly tokens: number;
  /** Nobody of the sweep is cheaper and better. */
  readonly onFrontier: boolean;
  /** Against the first variant, seed by seed on the same problems: bootstrap over seeds and problems, 95 %. Null for the first. */
  readonly accuracyDifference: Interval | null;
  readonly tokenDifference: Interval | null;
}

export interface SweepSummary {
  readonly rows: readonly SweepRow[];
  /** Share of the plane up to the untrained team's tokens that the sweep dominates. */
  readonly hypervolume: number;
  /** The untrained team, after lessons where there were any: mean over all runs. */
  readonly before: { readonly accuracy: number; readonly tokens: number };
  /** Before the lessons; null where not all runs had some. */
  readonly beforeLessons: { readonly accuracy: number; readonly tokens: number } | null;
  /** Tokens of the frontier at the untrained team's accuracy; null where none is as good. */
  readonly tokensAtStartAccuracy: number | null;
  /** Held-out problems with a score, the fewest of any run. */
  readonly problems: number;
}

interface Measured {
  readonly task: number;
  readonly tokens: number;
}

/** By seed and problem. */
type HeldOut = ReadonlyMap<number, ReadonlyMap<string, Measured>>;

/** What a sweep came to, from its results and the held-out episodes in its runs. */
export async function summariseSweep(folder: string, results: readonly VariantResult[]): Promise<SweepSummary> {
  const names = [...new Set(results.map(({ variant }) => variant))];
  const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
  const of = new Map<string, VariantResult[]>(
    names.map((name) => [name, results.filter(({ variant }) => variant === name)]),
  );
  const points = names.map((variant) => ({
    variant,
    accuracy: mean((of.get(variant) ?? []).map(({ after }) => after.accuracy)),
    tokens: mean((of.get(variant) ?? []).map(({ after }) => after.tokens)),
  }));
  const frontier = new Set(frontierOf(points).map(({ variant }) => variant));
  const episodes = new Map<string, HeldOut>();
  for (const name of names) episodes.set(name, await heldOutOf(folder, of.get(name) ?? []));
  const first = episodes.get(names[0] ?? "") ?? (new Map() as HeldOut);
  const differences = (name: string, pick: (each: Measured) => number): Interval | null => {
    if (name === names[0]) return null;
    const own = episodes.get(name) ?? (new Map() as HeldOut);
    return pairedBootstrapOverRuns(
      [...own].map(([seed, problems]) =>
        [...problems].flatMap(([id, each]) => {
          const other = first.get(seed)?.get(id);
          return other ? [[pick(each), pick(other)] as const] : [];
        }),
      ),
    );
  };
  const meanOf = (sides: readonly VariantResult["before"][]): VariantResult["before"] => ({
    accuracy: mean(sides.map((side) => side.accuracy)),
    tokens: mean(sides.map((side) => side.tokens)),
  });
  const before = meanOf(results.map((each) => each.before));
  const untaught = results.flatMap(({ beforeLessons }) => beforeLessons ?? []);
  return {
    rows: points.map(({ variant, accuracy, tokens }) => ({
      variant,
      about: of.get(variant)?.[0]?.about ?? "",
      seeds: of.get(variant)?.length ?? 0,
      accuracy,
      tokens,
      onFrontier: frontier.has(variant),
      accuracyDifference: differences(variant, ({ task }) => task),
      tokenDifference: differences(variant, (each) => each.tokens),
    })),
    hypervolume: hypervolume(points, before.tokens),
    before,
    beforeLessons: untaught.length === results.length && untaught.length > 0 ? meanOf(untaught) : null,
    tokensAtStartAccuracy: tokensAtAccuracy(points, before.accuracy),
    problems: Math.min(...[...episodes.values()].flatMap((runs) => [...runs.values()].map(({ size }) => size))),
  };
}

/** The last evaluation's episodes that have a score, of each seed. */
async function heldOutOf(folder: string, results: readonly VariantResult[]): Promise<HeldOut> {
  const found = new Map<number, Map<string, Measured>>();
  for (const { variant, seed } of results) {
    let last = 0;
    const problems = new Map<string, Measured>();
    for await (const { step, task, problem, episode } of eachEpisode(
      folderSource(runFolder(folder, variant, seed)),
      "evaluation",
    )) {
      if (step !== last) problems.clear();
      last = step;
      if (typeof task === "number")
        problems.set(problem.id, { task, tokens: ledgerTotals(episode.ledger).writtenTokens });
    }
    found.set(seed, problems);
  }
  return found;
}

/** `1.2 [0.3, 2.0]`, or a dash. */
export function intervalText(interval: Interval | null, scale: number): string {
  if (interval === null) return "-";
  const { value, low, high } = interval;
  const shown = (of: number): string => (scale * of).toFixed(1);
  return `${shown(value)} [${shown(low)}, ${shown(high)}]`;
}

/** The sweep as a table; units stand in its head. */
export function sweepRows({ rows }: SweepSummary): Table {
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
    rows: rows.map((row) => [
      row.about,
      formatPercent(row.accuracy),
      formatNumber(row.tokens),
      row.onFrontier ? "yes" : "no",
      intervalText(row.accuracyDifference, 100),
      intervalText(row.tokenDifference, 1),
      String(row.seeds),
    ]),
  };
}

/** What a sweep came to, in words. */
export function sweepSaid(summary: SweepSummary): string {
  const { hypervolume: area, tokensAtStartAccuracy } = summary;
  const cost =
    tokensAtStartAccuracy === null
      ? "no variant is as accurate"
      : `that accuracy costs ${formatNumber(tokensAtStartAccuracy)} tokens on its frontier`;
  return `${beginningSaid(summary)} The sweep dominates ${formatPercent(area)} of the plane up to these tokens; ${cost}.`;
}

/** Where the training began, and what was before its lessons. */
export function beginningSaid({ before, beforeLessons }: Pick<SweepSummary, "before" | "beforeLessons">): string {
  const said = ({ accuracy, tokens }: typeof before): string =>
    `${formatPercent(accuracy)} with ${formatNumber(tokens)} tokens per episode`;
  return beforeLessons
    ? `Before training, after the lessons: ${said(before)}; before the lessons: ${said(beforeLessons)}.`
    : `Before training: ${said(before)}.`;
}

/** Of how many seeds and problems differences are, and what so few of them cannot show. */
export function differencesNote(seeds: number, problems: number): string {
  const few =
    seeds === 1
      ? " One seed says nothing about another one."
      : seeds < 5
        ? ` n = ${seeds} seeds: intervals of so few are narrower than they say.`
        : "";
  return `Differences: means of ${seeds} ${seeds === 1 ? "seed" : "seeds"} on ${problems} held-out problems each, 95 % by the paired bootstrap over seeds and problems.${few}`;
}

export function sweepTable(summary: SweepSummary): string {
  const { columns, rows } = sweepRows(summary);
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text) => text.replaceAll("|", "\\|").replaceAll(/\s+/gu, " ")).join(" | ")} |`;
  return [
    line(columns),
    line(columns.map(() => "---")),
    ...rows.map((row) => line(row)),
    "",
    sweepSaid(summary),
    "",
    noteOf(summary),
  ].join("\n");
}

/** {@link differencesNote} of a sweep. */
export function noteOf({ rows, problems }: SweepSummary): string {
  return differencesNote(Math.min(...rows.map(({ seeds }) => seeds)), problems);
}
