import { isRecord } from "../packages/core/src/index.ts";
import { pinnedFile, shownSetting, type ComparedSetting } from "../packages/evaluation/src/reproduction/index.ts";

function isEqual({ value, as, ours }: ComparedSetting): boolean {
  if (as !== undefined) return as === ours;
  if (value === null) return false;
  return typeof ours === "number" ? Number(value) === ours : value.toLowerCase() === shownSetting(ours).toLowerCase();
}

/** Faults of a table: unequal values without a reason, stale reasons, and settings of `train` without a row. */
export function releasedFaults(rows: readonly ComparedSetting[], train: unknown, defaults: unknown): string[] {
  const faults = rows.flatMap((row) => {
    const { key, path, as, note, reason = "", ours } = row;
    const where = `${key ?? "ours"}, ${path ?? "no setting of ours"}`;
    if (pinnedFile(row.file).commit === "") return [`${where}: ${row.file} has no commit`];
    if (isRecord(ours)) return [`${where}: is a group of settings`];
    if (as !== undefined && (note ?? "").trim() === "") return [`${where}: the value in our unit has no note`];
    const equal = path !== undefined && isEqual(row);
    if (equal === (reason.trim() === "")) return [];
    return [equal ? `${where}: equal, but has a reason` : `${where}: ours is ${shownSetting(ours)}, without a reason`];
  });
  const covered = new Set(rows.map(({ path }) => path));
  const uncovered = changedSettings(train, defaults, "train").filter((path) => !covered.has(path));
  return [...faults, ...uncovered.map((path) => `${path}: differs from the default and has no row`)];
}

/** Paths of single values that differ from the defaults. */
export function changedSettings(value: unknown, preset: unknown, path: string): string[] {
  if (isRecord(value))
    return Object.keys(value).flatMap((name) =>
      changedSettings(value[name], isRecord(preset) ? preset[name] : undefined, `${path}.${name}`),
    );
  return JSON.stringify(value) === JSON.stringify(preset) ? [] : [path];
}
