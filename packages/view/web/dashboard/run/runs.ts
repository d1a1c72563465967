import { grouped } from "@laconic/core/numeric";
import { searchWords } from "../../../src/data/select.ts";
import type { RunState, RunSummary } from "../../../src/protocol.ts";

export type RunSort = "updated" | "name" | "task" | "state" | "step" | "left" | "accuracy" | "tokens" | "usd" | "seed";

/**
 * Runs in a state that match all terms: a word of name, folder, device, objective, settings, or a compared setting (`seed=1`, `train.steps>100`, `objective.name!=grpo`).
 */
export function filterRuns(
  runs: readonly RunSummary[],
  text: string,
  states: readonly RunState[],
): readonly RunSummary[] {
  const words = searchWords(text);
  return runs.filter((run) => {
    const settings = Object.entries(run.settings).map(([key, value]) => `${key}=${value}`);
    const knownNames = [run.name, run.folder, run.device, run.objective, run.seed, ...run.agents, ...settings];
    const searched = knownNames.join("\n").toLowerCase();
    const isMatch = (word: string): boolean => comparesTo(run.settings, word) ?? searched.includes(word);
    return (states.length === 0 || states.includes(run.state)) && words.every(isMatch);
  });
}

/** Null for other terms and unknown settings. */
function comparesTo(settings: RunSummary["settings"], term: string): boolean | null {
  const [, name = "", sign = "", operand = ""] = /^([\w.-]+?)(!=|>=|<=|=|>|<)(.+)$/u.exec(term) ?? [];
  const values = Object.entries(settings).flatMap(([key, value]) =>
    `.${key.toLowerCase()}`.endsWith(`.${name}`) ? [String(value).toLowerCase()] : [],
  );
  if (sign === "" || values.length === 0) return null;
  if (sign === "=") return values.includes(operand);
  if (sign === "!=") return !values.includes(operand);
  const isMet = (value: number): boolean =>
    (sign.startsWith("<") ? value < Number(operand) : value > Number(operand)) ||
    (sign.endsWith("=") && value === Number(operand));
  return values.some((value) => isMet(Number(value)));
}

/** Stable; missing values come last in both directions. */
export function sortRuns(runs: readonly RunSummary[], by: RunSort, descending: boolean): readonly RunSummary[] {
  const sign = descending ? -1 : 1;
  return runs.toSorted((a, b) => {
    const [left, right] = [sortValues[by](a), sortValues[by](b)];
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
    return sign * (typeof left === "string" ? collator.compare(left, String(right)) : left - Number(right));
  });
}

const collator = new Intl.Collator("en", { numeric: true });

const sortValues: Readonly<Record<RunSort, (run: RunSummary) => number | string | null>> = {
  updated: (run) => run.updated,
  name: (run) => run.name,
  task: (run) => run.task,
  state: (run) => run.state,
  step: (run) => run.step,
  left: (run) => run.secondsLeft,
  accuracy: (run) => run.after?.accuracy ?? null,
  tokens: (run) => run.after?.tokens ?? null,
  usd: (run) => run.usd,
  seed: (run) => run.seed,
};

/** `undefined` if not set. */
export interface SettingRow {
  readonly key: string;
  readonly values: readonly (string | number | boolean | null | undefined)[];
  readonly isSame: boolean;
}

export function settingRows(runs: readonly Pick<RunSummary, "settings">[]): readonly SettingRow[] {
  const keys = new Set(runs.flatMap(({ settings }) => Object.keys(settings)));
  return [...keys].toSorted().map((key) => {
    const values = runs.map(({ settings }) => (Object.hasOwn(settings, key) ? settings[key] : undefined));
    return { key, values, isSame: values.every((value) => Object.is(value, values[0])) };
  });
}

export interface RunGroup {
  readonly key: string;
  readonly label: string;
  readonly runs: readonly RunSummary[];
}

const seedKey = /(?:^|\.)seeds?$/iu;

/** @param by - `run`, `seeds` for runs that differ only in their seed, else a setting key */
export function groupRuns(runs: readonly RunSummary[], by: string): readonly RunGroup[] {
  if (by === "run") return runs.map((run) => ({ key: run.id, label: run.name, runs: [run] }));
  const lists = grouped(runs, (run) => (by === "seeds" ? withoutSeed(run) : String(run.settings[by] ?? "not set")));
  const differing = settingRows(lists.map(([first]) => ({ settings: withoutSeed(first) }))).filter(
    ({ isSame }) => !isSame,
  );
  return lists.map((list, i) => {
    const [first] = list;
    const differences = differing.map(({ key, values }) => [key, values[i]] as const);
    const label = by === "seeds" ? labelOf(list, differences) : `${by} ${String(first.settings[by] ?? "not set")}`;
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

/** The run name for none or more than three. */
function labelOf(
  runs: readonly RunSummary[],
  differing: readonly (readonly [string, SettingRow["values"][number]])[],
): string {
  const areSeeds = new Set(runs.map(({ seed }) => seed)).size === runs.length;
  const seeds = runs.length === 1 ? "" : ` (${runs.length} ${areSeeds ? "seeds" : "runs"})`;
  if (differing.length === 0 || differing.length > 3) return `${runs[0]?.name ?? ""}${seeds}`;
  return `${differing.map(([key, value]) => `${key.split(".").at(-1)} ${value === undefined ? "not set" : String(value)}`).join(", ")}${seeds}`;
}

/** Accuracies are comparable only for equal tasks. */
export function taskKey(settings: RunSummary["settings"]): string {
  const entries = Object.entries(settings).filter(([key]) => key === "task" || key.startsWith("task."));
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
