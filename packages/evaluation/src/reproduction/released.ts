import { isRecord } from "@laconic/core";
import table from "../../assets/released.json" with { type: "json" };

/** Setting of a released configuration and of ours, as written in `assets/released.json`. */
export interface ReleasedSetting {
  /** Name in the released file; null for a setting that only ours has. */
  readonly key: string | null;
  /** Value as the file has it. */
  readonly value: string | null;
  /** `OWNER/REPOSITORY/PATH`; default: the configuration's file. */
  readonly file?: string;
  /** Our setting, such as `train.steps`; absent if ours has none. */
  readonly path?: string;
  /** The released value in our unit; `note` explains it. */
  readonly as?: string | number | boolean | null;
  readonly note?: string;
  /** Reason of a departure. */
  readonly reason?: string;
}

/** Released configuration and the preset that follows it. */
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
export interface OpenSetting {
  readonly path: string;
  readonly reason: string;
  readonly values: readonly string[];
  /** Overrides that the sweep needs besides. */
  readonly with?: readonly string[];
}

/** Compared row. */
export interface ComparedSetting extends ReleasedSetting {
  readonly file: string;
  /** Value of the resolved preset; null if unset. */
  readonly ours: unknown;
}

const { repositories, configurations, open } = table as {
  readonly repositories: Readonly<Record<string, string>>;
  readonly configurations: readonly ReleasedConfiguration[];
  readonly open: readonly { readonly paper: string; readonly preset: string; readonly rows: readonly OpenSetting[] }[];
};

/** Released configurations of AgentPO and MAGRPO. */
export const releasedConfigurations: readonly ReleasedConfiguration[] = configurations;

/** Settings that Agent-GSPO leaves open. */
export const openSettings: readonly OpenSetting[] = open.flatMap(({ rows }) => rows);

/** Splits `OWNER/REPOSITORY/PATH` and adds the pinned commit. */
export function pinnedFile(file: string): {
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
} {
  const [owner, name, ...path] = file.split("/");
  const repository = `${owner}/${name}`;
  return { repository, commit: repositories[repository] ?? "", path: path.join("/") };
}

/** Value of a dotted path; null if a part is missing. */
export function settingAt(config: unknown, path: string): unknown {
  return path.split(".").reduce((value, name) => (isRecord(value) ? value[name] : undefined), config) ?? null;
}

/** Rows of a configuration, including those of `like`, with the values of the resolved preset. */
export function comparedSettings({ file, like, rows }: ReleasedConfiguration, config: unknown): ComparedSetting[] {
  const base = configurations.find(({ name }) => name === like)?.rows ?? [];
  const rowKeys = new Set(rows.map(({ key }) => key));
  return [...rows, ...base.filter(({ key }) => !rowKeys.has(key))].map((row) => ({
    ...row,
    file: row.file ?? file,
    ours: row.path === undefined ? null : settingAt(config, row.path),
  }));
}

/** Value as written in a table. */
export const shownSetting = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Command that sweeps an open setting. */
export function sweepCommand({ path, values, with: fixed = [] }: OpenSetting): string {
  return ["laconic sweep preset:agent-gspo", ...fixed, `${path}=${values.join(",")}`].join(" ");
}

/**
 * Table cells of compared rows: released setting, ours, and `equal` or the departure.
 * @param main - file of the configuration; other files are named
 */
export function releasedCells(rows: readonly ComparedSetting[], main: string): string[][] {
  return rows.map(({ key, value, file, path, note, reason, ours }) => [
    key === null ? "-" : `\`${key}\`: \`${value}\`${file === main ? "" : ` (${file.split("/").at(-1)})`}`,
    path === undefined ? "-" : `\`${path}\`: ${ours === null ? "none" : shownSetting(ours)}`,
    reason === undefined ? `equal${note === undefined ? "" : `: ${note}`}` : `**departure**: ${reason}`,
  ]);
}
