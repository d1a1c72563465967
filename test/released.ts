import { isRecord } from "../packages/core/src/index.ts";
import { applyOverrides, parseAppConfig } from "../packages/runtime/src/index.ts";
import { presetConfig } from "../packages/runtime/src/resolver/index.ts";
import table from "./fixtures/released.json" with { type: "json" };

interface ReleasedSetting {
  /** Name in the released file; null for a setting that only ours has. */
  readonly key: string | null;
  readonly value: string | null;
  /** `OWNER/REPOSITORY/PATH`; default: the configuration's file. */
  readonly file?: string;
  /** Our setting, such as `train.steps`; absent if ours has none. */
  readonly path?: string;
  /** The released value in our unit; `note` explains it. */
  readonly as?: string | number | boolean | null;
  readonly note?: string;
  readonly reason?: string;
}

export interface ReleasedConfiguration {
  readonly name: string;
  readonly preset: string;
  readonly overrides?: readonly string[];
  readonly file: string;
  /** Configuration with the other rows; rows of equal key are replaced. */
  readonly like?: string;
  readonly rows: readonly ReleasedSetting[];
}

/** Setting that a paper leaves open, with the reason of our value and the values to sweep. */
interface OpenSetting {
  readonly path: string;
  readonly reason: string;
  readonly values: readonly string[];
  /** Overrides that the sweep needs besides. */
  readonly with?: readonly string[];
}

/** Compared row with the value of the resolved preset; null if unset. */
export interface ComparedSetting extends ReleasedSetting {
  readonly file: string;
  readonly ours: unknown;
}

export const configurations: readonly ReleasedConfiguration[] = table.configurations;

export const openSettings: readonly OpenSetting[] = table.open.flatMap(({ rows }): readonly OpenSetting[] => rows);

export function resolved(preset: string, overrides: readonly string[] = []): ReturnType<typeof parseAppConfig> {
  return parseAppConfig(applyOverrides(presetConfig(preset), overrides));
}

/** Splits `OWNER/REPOSITORY/PATH` and adds the pinned commit. */
export function pinnedFile(file: string): Readonly<Record<"repository" | "commit" | "path", string>> {
  const [owner, name, ...path] = file.split("/");
  const repository = `${owner}/${name}`;
  const commits: Readonly<Record<string, string>> = table.repositories;
  return { repository, commit: commits[repository] ?? "", path: path.join("/") };
}

/** Value of a dotted path; null if a part is missing. */
export function settingAt(config: unknown, path: string): unknown {
  return path.split(".").reduce((value, name) => (isRecord(value) ? value[name] : undefined), config) ?? null;
}

export function comparedRows({ preset, overrides, file, like, rows }: ReleasedConfiguration): ComparedSetting[] {
  const config = resolved(preset, overrides);
  const base = configurations.find(({ name }) => name === like)?.rows ?? [];
  const rowKeys = new Set(rows.map(({ key }) => key));
  return [...rows, ...base.filter(({ key }) => !rowKeys.has(key))].map((row) => ({
    ...row,
    file: row.file ?? file,
    ours: row.path === undefined ? null : settingAt(config, row.path),
  }));
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export function sweepCommand({ path, values, with: fixed = [] }: OpenSetting): string {
  return ["laconic sweep preset:agent-gspo", ...fixed, `${path}=${values.join(",")}`].join(" ");
}

export function releasedCells(configuration: ReleasedConfiguration): string[][] {
  return comparedRows(configuration).map(({ key, value, file, path, note, reason, ours }) => [
    key === null ? "-" : `\`${key}\`: \`${value}\`${file === configuration.file ? "" : ` (${file.split("/").at(-1)})`}`,
    path === undefined ? "-" : `\`${path}\`: ${ours === null ? "none" : shown(ours)}`,
    reason === undefined ? `equal${note === undefined ? "" : `: ${note}`}` : `**departure**: ${reason}`,
  ]);
}

function isEqual({ value, as, ours }: ComparedSetting): boolean {
  if (as !== undefined) return as === ours;
  if (value === null) return false;
  return typeof ours === "number" ? Number(value) === ours : value.toLowerCase() === shown(ours).toLowerCase();
}

export function releasedFaults(rows: readonly ComparedSetting[], train: unknown, defaults: unknown): string[] {
  const faults = rows.flatMap((row) => {
    const { key, path, as, note, reason = "", ours } = row;
    const where = `${key ?? "ours"}, ${path ?? "no setting of ours"}`;
    if (pinnedFile(row.file).commit === "") return [`${where}: ${row.file} has no commit`];
    if (isRecord(ours)) return [`${where}: is a group of settings`];
    if (as !== undefined && (note ?? "").trim() === "") return [`${where}: the value in our unit has no note`];
    const equal = path !== undefined && isEqual(row);
    if (equal === (reason.trim() === "")) return [];
    return [equal ? `${where}: equal, but has a reason` : `${where}: ours is ${shown(ours)}, without a reason`];
  });
  const covered = new Set(rows.map(({ path }) => path));
  const uncovered = changedSettings(train, defaults, "train").filter((path) => !covered.has(path));
  return [...faults, ...uncovered.map((path) => `${path}: differs from the default and has no row`)];
}

export function changedSettings(value: unknown, preset: unknown, path: string): string[] {
  if (isRecord(value))
    return Object.keys(value).flatMap((name) =>
      changedSettings(value[name], isRecord(preset) ? preset[name] : undefined, `${path}.${name}`),
    );
  return JSON.stringify(value) === JSON.stringify(preset) ? [] : [path];
}
