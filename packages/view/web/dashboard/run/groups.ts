import type { RunSummary } from "../../../src/protocol.ts";

type Value = string | number | boolean | null;

/** A setting, and its value in each of the runs; `undefined` where a run has no such setting. */
export interface SettingRow {
  readonly key: string;
  readonly values: readonly (Value | undefined)[];
  readonly isSame: boolean;
}

/** All settings of some runs by key, those that differ marked. */
export function settingRows(runs: readonly Pick<RunSummary, "settings">[]): readonly SettingRow[] {
  const keys = new Set(runs.flatMap(({ settings }) => Object.keys(settings)));
  return [...keys].toSorted().map((key) => {
    const values = runs.map(({ settings }) => (Object.hasOwn(settings, key) ? settings[key] : undefined));
    return { key, values, isSame: values.every((value) => Object.is(value, values[0])) };
  });
}

/** Runs that are drawn as one: seeds of the same settings, or all of one value. */
export interface RunGroup {
  readonly key: string;
  readonly label: string;
  readonly runs: readonly RunSummary[];
}

const seedKey = /(?:^|\.)seeds?$/iu;

/** @param by - `run` for each run, `seeds` for runs that differ only in their seed, else the key of a setting */
export function groupRuns(runs: readonly RunSummary[], by: string): readonly RunGroup[] {
  if (by === "run") return runs.map((run) => ({ key: run.id, label: run.name, runs: [run] }));
  const groups = new Map<string, RunSummary[]>();
  for (const run of runs) {
    const key = by === "seeds" ? JSON.stringify(withoutSeed(run)) : String(run.settings[by] ?? "not set");
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(run);
  }
  const lists = [...groups.values()];
  const differing = settingRows(lists.map(([first]) => ({ settings: withoutSeed(first as RunSummary) }))).filter(
    ({ isSame }) => !isSame,
  );
  return lists.map((list, i) => {
    const [first] = list as [RunSummary, ...RunSummary[]];
    const label =
      by === "seeds"
        ? labelOf(
            list,
            differing.map(({ key, values }) => [key, values[i]]),
          )
        : `${by} ${String(first.settings[by] ?? "not set")}`;
    return { key: first.id, label, runs: list };
  });
}

function withoutSeed({ settings }: RunSummary): RunSummary["settings"] {
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([key]) => !seedKey.test(key))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** What sets the group apart, in few words; the name of its run where nothing, or too much, does. */
function labelOf(
  runs: readonly RunSummary[],
  differing: readonly (readonly [string, string | number | boolean | null | undefined])[],
): string {
  const areSeeds = new Set(runs.map(({ seed }) => seed)).size === runs.length;
  const seeds = runs.length === 1 ? "" : ` (${runs.length} ${areSeeds ? "seeds" : "runs"})`;
  if (differing.length === 0 || differing.length > 3) return `${runs[0]?.name ?? ""}${seeds}`;
  return `${differing.map(([key, value]) => `${key.split(".").at(-1)} ${value === undefined ? "not set" : String(value)}`).join(", ")}${seeds}`;
}
