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
