import { configError, LaconicError } from "@laconic/core";
import {
  grouped,
  meanOf,
  studentInterval,
  studentQuantile,
  varianceOfMean,
  type Estimate,
} from "@laconic/core/numeric";
import {
  columnsOf,
  formatColumn,
  formatDuration,
  formatNumber,
  formatPercent,
  formatPoints,
  visibleText,
} from "@laconic/core/text";
import { runMissing, type RunEvaluation } from "@laconic/trainer/reading";
import { readRunSummary, type RunSummary } from "./list-runs.ts";
import { settingsOf } from "./settings.ts";

/** Figure over a group's runs. */
export interface Figure {
  readonly mean: number;
  readonly values: readonly number[];
  /** 95 %: over one run's problems, or of the runs' mean by Student's t; null if unknown. */
  readonly interval: readonly [low: number, high: number] | null;
}

/** Difference to the first group, with 95 % interval. */
export interface Difference extends Estimate {
  /** Seeds (Welch 1947), or problems of single runs (Newcombe 1998, method 10). */
  readonly of: "seeds" | "problems" | null;
}

type Compared = "accuracy" | "tokens" | "seconds";

/** Runs whose settings differ only in the seed. */
export interface RunGroup extends Readonly<Record<Compared, Figure | null>> {
  readonly name: string;
  readonly runs: readonly RunSummary[];
}

/** Differences to the first group. */
export interface GroupDifference extends Readonly<Record<Compared, Difference | null>> {
  readonly name: string;
}

/** Settings and figures of groups of runs. */
export interface Comparison {
  /** Values by group, null if not set. */
  readonly settings: readonly { readonly key: string; readonly values: readonly (string | null)[] }[];
  readonly groups: readonly RunGroup[];
  readonly differences: readonly GroupDifference[];
  readonly notes: readonly string[];
}

const seedKey = "train.seed";

/**
 * Compares runs; runs that differ only in the seed form a group.
 * @param folders - distinct run folders
 * @throws LaconicError `run_missing`; `config_invalid` for a repeated folder
 */
export async function compareRuns(folders: readonly string[]): Promise<Comparison> {
  const twice = folders.find((folder, i) => folders.indexOf(folder) !== i);
  if (twice !== undefined) throw configError(`${twice} is listed twice`, { directory: twice });
  const runs: RunSummary[] = [];
  for (const directory of folders) {
    const run = await readRunSummary(directory);
    if (!run) throw runMissing(directory);
    if (run.state === "foreign")
      throw new LaconicError("run_missing", `${directory} has no run that could be read: ${run.reason}`, { directory });
    runs.push(run);
  }
  return comparisonOf(runs);
}

function comparisonOf(runs: readonly RunSummary[]): Comparison {
  const members = grouped(runs, ({ config }) => [...comparedSettings(config)].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const groups = members.map(groupOf);
  const settings = members.map(([first]) => comparedSettings(first.config));
  const keys = [...new Set(settings.flatMap((values) => [...values.keys()]))].toSorted();
  const difference = (group: RunGroup, name: Compared): Difference | null =>
    differenceOf(groups[0]?.[name] ?? null, group[name]);
  return {
    settings: keys
      .map((key) => ({ key, values: settings.map((values) => values.get(key) ?? null) }))
      .filter(({ values }) => new Set(values).size > 1),
    groups,
    differences: groups.slice(1).map((group) => ({
      name: group.name,
      accuracy: difference(group, "accuracy"),
      tokens: difference(group, "tokens"),
      seconds: difference(group, "seconds"),
    })),
    notes: notesOn(groups, runs),
  };
}

/** Settings without the seed. Runs of programs store only their training settings. */
function comparedSettings(config: unknown): ReadonlyMap<string, string> {
  const hasTrain = typeof config === "object" && config !== null && "train" in config;
  const settings = Object.entries(settingsOf(hasTrain ? config : { train: config }));
  return new Map(settings.filter(([key]) => key !== seedKey).map(([key, value]) => [key, String(value)]));
}

function latestOf({ before, after }: RunSummary): RunEvaluation | null {
  return after ?? before;
}

function groupOf(runs: readonly [RunSummary, ...RunSummary[]]): RunGroup {
  const measured = runs.flatMap((run) => latestOf(run) ?? []);
  const [{ name }] = runs;
  return {
    name: runs.length === 1 ? name : `${name} and ${runs.length - 1} more`,
    runs,
    accuracy: figureOf(
      measured.map(({ accuracy }) => accuracy),
      1,
      measured[0]?.interval,
    ),
    tokens: figureOf(measured.map(({ tokens }) => tokens)),
    seconds: figureOf(runs.flatMap(({ seconds }) => seconds ?? [])),
  };
}

function figureOf(values: readonly number[], max = Infinity, ofOne: Figure["interval"] = null): Figure | null {
  const mean = meanOf(values);
  if (mean === null) return null;
  if (values.length === 1) return { mean, values, interval: ofOne };
  const interval = studentInterval(values);
  // Student's t is unbounded; figures are in 0 to `max`.
  return { mean, values, interval: interval && [Math.max(0, interval[0]), Math.min(max, interval[1])] };
}

/** `other` minus `first`; null if one is missing. */
export function differenceOf(first: Figure | null, other: Figure | null): Difference | null {
  if (!first || !other) return null;
  const value = other.mean - first.mean;
  if (first.values.length > 1 && other.values.length > 1) {
    const [va, vb] = [varianceOfMean(first.values), varianceOfMean(other.values)];
    if (va + vb === 0) return { value, low: null, high: null, of: null };
    const freedom = (va + vb) ** 2 / (va ** 2 / (first.values.length - 1) + vb ** 2 / (other.values.length - 1));
    const half = studentQuantile(0.975, freedom) * Math.sqrt(va + vb);
    return { value, low: value - half, high: value + half, of: "seeds" };
  }
  const [a, b] = [first.interval, other.interval];
  if (first.values.length > 1 || other.values.length > 1 || !a || !b) return { value, low: null, high: null, of: null };
  return {
    value,
    low: value - Math.hypot(other.mean - b[0], a[1] - first.mean),
    high: value + Math.hypot(b[1] - other.mean, first.mean - a[0]),
    of: "problems",
  };
}

function notesOn(groups: readonly RunGroup[], runs: readonly RunSummary[]): string[] {
  const notes: string[] = [];
  const smallest = Math.min(...groups.map(({ accuracy }) => accuracy?.values.length ?? 0));
  if (smallest === 1)
    notes.push(
      "n = 1: one run does not show the spread of seeds; its interval covers only the validation problems. Train more seeds: laconic sweep CONFIG --seeds 0-4",
    );
  if (smallest === 2 || smallest === 3)
    notes.push(`n = ${smallest}: few seeds give wide intervals; train five or more`);
  for (const { name, runs: members } of groups) {
    const seeds = members.flatMap(({ seed }) => seed ?? []);
    const again = seeds.find((seed, i) => seeds.indexOf(seed) !== i);
    if (again !== undefined) notes.push(`${name}: seed ${again} occurs more than once, so the interval is too narrow`);
  }
  const problems = new Set(runs.flatMap((run) => latestOf(run)?.problems ?? []));
  if (problems.size > 1)
    notes.push(
      `the runs were evaluated on ${[...problems].join(", ")} validation problems, so their figures are not comparable`,
    );
  for (const { name, changes } of runs) {
    if (changes.length === 0) continue;
    const shown = changes.slice(0, 3).map(({ step, text }) => `from step ${step} on ${text}`);
    const rest = changes.length > 3 ? `; and ${changes.length - 3} more changes` : "";
    notes.push(`${name} changed settings: ${shown.join("; ")}${rest}`);
  }
  for (const run of runs) {
    const { name, state, step, plannedSteps } = run;
    const latest = latestOf(run);
    const figures = latest ? `; its figures are of step ${latest.step}` : "";
    if (state !== "done") notes.push(`${name} is ${state}, at step ${step} of ${plannedSteps ?? "?"}${figures}`);
  }
  return notes;
}

/** Formats a comparison for a terminal. */
export function comparisonText({ settings, groups, differences, notes }: Comparison): string {
  const letters = groups.map((_, i) => (i < 26 ? String.fromCodePoint(65 + i) : `#${i + 1}`));
  const names = groups.map(({ runs }, i) => {
    const seeds = runs.map(({ seed }) => seed ?? "?");
    return `${letters[i]}  ${runs.map(({ folder }) => folder).join(", ")} (seed ${seeds.join(", ")})`;
  });
  const same = groups.length === 1 ? "Settings: equal except for the seed." : "Settings: equal.";
  const settingRows = settings.map(({ key, values }) => [key, ...values.map((value) => clip(value ?? "-"))]);
  const figureRows = [
    ...groups.map(({ runs, accuracy, tokens, seconds }, i) => [
      letters[i]!,
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
  ];
  return [
    ...names,
    "",
    ...(settings.length === 0 ? [same] : columnsOf([["SETTING", ...letters], ...settingRows])),
    "",
    ...columnsOf([["", "n", "ACCURACY", "TOKENS", "TIME"], ...figureRows]),
    ...(notes.length === 0 ? [] : ["", ...notes]),
  ]
    .map(visibleText)
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
  return `${format(value)} [${format(low)}, ${format(high)}]${low <= 0 && high >= 0 ? ", may be zero" : ""}`;
}

function signed(value: number, format: (value: number) => string): string {
  return `${value < 0 ? "−" : "+"}${format(Math.abs(value))}`;
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ");
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}
