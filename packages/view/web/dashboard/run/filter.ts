import type { RunState, RunSummary } from "../../../src/protocol.ts";

/** Which runs are shown; an empty field holds for all. */
export interface RunFilter {
  /** Words that all stand in name, folder, device, objective, seed or a setting. */
  readonly text: string;
  readonly states: readonly RunState[];
  /** `key=value`, all of which hold; a key alone: the setting is there. */
  readonly where: readonly string[];
}

export type RunSort =
  | "updated"
  | "name"
  | "task"
  | "state"
  | "step"
  | "left"
  | "accuracy"
  | "tokens"
  | "seed"
  | "warnings";

export function filterRuns(runs: readonly RunSummary[], { text, states, where }: RunFilter): readonly RunSummary[] {
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  return runs.filter(
    (run) =>
      (states.length === 0 || states.includes(run.state)) &&
      where.every((condition) => holds(run, condition)) &&
      words.every((word) => searched(run).includes(word)),
  );
}

/** Runs without the value come last, in both directions; equal ones stay as they are. */
export function sortRuns(runs: readonly RunSummary[], by: RunSort, descending: boolean): readonly RunSummary[] {
  const sign = descending ? -1 : 1;
  return runs.toSorted((a, b) => {
    const [left, right] = [valueOf(a, by), valueOf(b, by)];
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
    return sign * (typeof left === "string" ? collator.compare(left, String(right)) : left - Number(right));
  });
}

/** Settings that are not the same in all runs, by number of different values: what there is to filter by. */
export function variedSettings(runs: readonly RunSummary[]): ReadonlyMap<string, ReadonlySet<string>> {
  const values = new Map<string, Set<string>>();
  for (const { settings } of runs)
    for (const [key, value] of Object.entries(settings)) {
      const known = values.get(key) ?? new Set();
      values.set(key, known.add(String(value)));
    }
  return new Map([...values].filter(([, known]) => known.size > 1).toSorted(([a], [b]) => collator.compare(a, b)));
}

const collator = new Intl.Collator("en", { numeric: true });

function holds({ settings }: RunSummary, condition: string): boolean {
  const at = condition.indexOf("=");
  const key = (at === -1 ? condition : condition.slice(0, at)).trim();
  if (!Object.hasOwn(settings, key)) return false;
  return at === -1 || String(settings[key]) === condition.slice(at + 1).trim();
}

function searched(run: RunSummary): string {
  const settings = Object.entries(run.settings).map(([key, value]) => `${key}=${value}`);
  return [run.name, run.folder, run.device, run.objective, run.seed, ...run.agents, ...settings]
    .join("\n")
    .toLowerCase();
}

function valueOf(run: RunSummary, by: RunSort): number | string | null {
  switch (by) {
    case "updated":
      return run.updated;
    case "name":
      return run.name;
    case "task":
      return run.task;
    case "state":
      return run.state;
    case "step":
      return run.step;
    case "left":
      return run.secondsLeft;
    case "accuracy":
      return run.after?.accuracy ?? null;
    case "tokens":
      return run.after?.tokens ?? null;
    case "seed":
      return run.seed;
    case "warnings":
      return run.warnings;
  }
}
