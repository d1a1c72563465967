import { isRecord, LaconicError } from "@laconic/core";
import { meanOf, studentInterval } from "@laconic/core/numeric";
import type { RunEvaluation } from "@laconic/trainer/reading";
import { differenceOf, type Difference, type Figure } from "./difference.ts";
import { readRunSummary, type RunSummary } from "./list-runs.ts";

/** Runs of the same settings but for their seeds. */
export interface RunGroup {
  readonly name: string;
  readonly runs: readonly RunSummary[];
  /** Of the runs that were measured, after training. */
  readonly accuracy: Figure | null;
  readonly tokens: Figure | null;
  /** Of training steps. */
  readonly seconds: Figure | null;
}

/** A group against the first. */
export interface GroupDifference {
  readonly name: string;
  readonly accuracy: Difference | null;
  readonly tokens: Difference | null;
  readonly seconds: Difference | null;
}

/** How groups of runs differ: settings, figures, and what figures do not say. */
export interface Comparison {
  /** Settings that are not the same in all groups: the value of each, by group; null where it is not set. */
  readonly settings: readonly { readonly key: string; readonly values: readonly (string | null)[] }[];
  readonly groups: readonly RunGroup[];
  readonly differences: readonly GroupDifference[];
  /** What the figures do not say. */
  readonly notes: readonly string[];
}

const seedKey = "train.seed";

/**
 * What differs between runs. Those whose settings differ in the seed alone are one group.
 * @param folders - of runs, each once
 * @throws LaconicError `run_missing`; `config_invalid` for a folder that is named twice
 */
export async function compareRuns(folders: readonly string[]): Promise<Comparison> {
  const twice = folders.find((folder, i) => folders.indexOf(folder) !== i);
  if (twice !== undefined)
    throw new LaconicError("config_invalid", `${twice} is named twice: a run is no second seed`, { directory: twice });
  const runs: RunSummary[] = [];
  for (const directory of folders) {
    const run = await readRunSummary(directory);
    if (run && run.state !== "foreign") runs.push(run);
    else
      throw new LaconicError(
        "run_missing",
        `${directory} holds no run${run ? ` that could be read: ${run.reason}` : ""}`,
        { directory },
      );
  }
  return comparisonOf(runs);
}

function comparisonOf(runs: readonly RunSummary[]): Comparison {
  const settings = runs.map(({ config }) => settingsOf(withTrain(config)));
  const bySettings = new Map<string, number[]>();
  for (const [i, own] of settings.entries()) {
    const { [seedKey]: _, ...rest } = own;
    const key = JSON.stringify(Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    bySettings.set(key, [...(bySettings.get(key) ?? []), i]);
  }
  const members = [...bySettings.values()];
  const groups = members.map((indices) => groupOf(indices.map((i) => runs[i] as RunSummary)));
  const first = groups[0] as RunGroup;
  const keys = [...new Set(settings.flatMap((own) => Object.keys(own)))].toSorted();
  return {
    settings: keys.flatMap((key) => {
      if (key === seedKey) return [];
      const values = members.map(([i = 0]) => settings[i]?.[key] ?? null);
      return new Set(values).size > 1 ? [{ key, values }] : [];
    }),
    groups,
    differences: groups.slice(1).map((group) => ({
      name: group.name,
      accuracy: differenceOf(first.accuracy, group.accuracy),
      tokens: differenceOf(first.tokens, group.tokens),
      seconds: differenceOf(first.seconds, group.seconds),
    })),
    notes: notesOn(groups, runs),
  };
}

/** Leaves of a configuration by dotted key; a list is one, as JSON. */
function settingsOf(value: unknown, path = ""): Readonly<Record<string, string>> {
  if (!isRecord(value))
    return path === "" ? {} : { [path]: typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined") };
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      Object.entries(settingsOf(each, path === "" ? key : `${path}.${key}`)),
    ),
  );
}

/** Settings of a program's run stand alone. */
function withTrain(config: unknown): unknown {
  return typeof config === "object" && config !== null && "train" in config ? config : { train: config };
}

function latestOf({ before, after }: RunSummary): RunEvaluation | null {
  return after ?? before;
}

function groupOf(runs: readonly RunSummary[]): RunGroup {
  const measured = runs.flatMap((run) => latestOf(run) ?? []);
  const [only] = measured;
  const figure = (pick: (of: RunEvaluation) => number, interval: Figure["interval"]): Figure | null =>
    figureOf(measured.map(pick), interval);
  return {
    name:
      runs.length === 1 ? (runs[0] as RunSummary).name : `${(runs[0] as RunSummary).name} and ${runs.length - 1} more`,
    runs,
    accuracy: within(
      figure(({ accuracy }) => accuracy, only?.interval ?? null),
      1,
    ),
    tokens: within(
      figure(({ tokens }) => tokens, null),
      Infinity,
    ),
    seconds: within(
      figureOf(
        runs.flatMap(({ seconds }) => seconds ?? []),
        null,
      ),
      Infinity,
    ),
  };
}

function figureOf(values: readonly number[], ofOne: Figure["interval"]): Figure | null {
  const mean = meanOf(values);
  if (mean === null) return null;
  const figure = { mean, values, interval: ofOne };
  return values.length === 1 ? figure : { ...figure, interval: studentInterval(values) };
}

/** From 0 to `max`: Student's t knows no ends. */
function within(figure: Figure | null, max: number): Figure | null {
  if (!figure?.interval || figure.values.length === 1) return figure;
  const [low, high] = figure.interval;
  return { ...figure, interval: [Math.max(0, low), Math.min(max, high)] };
}

function notesOn(groups: readonly RunGroup[], runs: readonly RunSummary[]): string[] {
  const smallest = Math.min(...groups.map(({ accuracy }) => accuracy?.values.length ?? 0));
  const unfinished = runs.filter(({ state }) => state !== "done");
  const problems = new Set(runs.flatMap((run) => latestOf(run)?.problems ?? []));
  return [
    ...(smallest === 1
      ? [
          "n = 1: one run of a setting says nothing of other seeds; its interval is that of the validation problems alone. Train more seeds: laconic sweep CONFIG --seeds 0-4",
        ]
      : []),
    ...(smallest === 2 || smallest === 3
      ? [
          `n = ${smallest}: of so few seeds only a difference far beyond their spread says anything; five or more are worth an interval`,
        ]
      : []),
    ...groups.flatMap(({ name, runs: members }) => {
      const seeds = members.flatMap(({ seed }) => seed ?? []);
      const again = seeds.find((seed, i) => seeds.indexOf(seed) !== i);
      return again === undefined
        ? []
        : [
            `${name}: the seed ${again} stands more than once: such runs say less than other seeds, and the interval is too narrow`,
          ];
    }),
    ...(problems.size > 1
      ? [
          `the runs were measured on ${[...problems].join(", ")} validation problems: their figures are not of the same problems`,
        ]
      : []),
    ...runs.flatMap(({ name, changes }) =>
      changes.length === 0
        ? []
        : [
            `${name} had other settings before: ${changes
              .slice(0, 3)
              .map(({ step, text }) => `from step ${step} on ${text}`)
              .join("; ")}${changes.length > 3 ? `; and ${changes.length - 3} more changes` : ""}`,
          ],
    ),
    ...unfinished.map((run) => {
      const { name, state, step, plannedSteps } = run;
      const latest = latestOf(run);
      return `${name} is ${state}, at step ${step} of ${plannedSteps ?? "?"}${latest ? `; its figures are of step ${latest.step}` : ""}`;
    }),
  ];
}
