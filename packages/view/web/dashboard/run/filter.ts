import type { RunState, RunSummary } from "../../../src/protocol.ts";

export type RunSort = "updated" | "name" | "task" | "state" | "step" | "left" | "accuracy" | "tokens" | "seed";

/** Runs in a state with all words in their name, folder, device, objective, seed or a setting such as `train.seed=1`. */
export function filterRuns(
  runs: readonly RunSummary[],
  text: string,
  states: readonly RunState[],
): readonly RunSummary[] {
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  return runs.filter((run) => {
    const searched = searchedText(run);
    return (states.length === 0 || states.includes(run.state)) && words.every((word) => searched.includes(word));
  });
}

/** Runs without the value come last, in both directions; equal ones stay as they are. */
export function sortRuns(runs: readonly RunSummary[], by: RunSort, descending: boolean): readonly RunSummary[] {
  const sign = descending ? -1 : 1;
  return runs.toSorted((a, b) => {
    const [left, right] = [values[by](a), values[by](b)];
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
    return sign * (typeof left === "string" ? collator.compare(left, String(right)) : left - Number(right));
  });
}

const collator = new Intl.Collator("en", { numeric: true });

function searchedText(run: RunSummary): string {
  const settings = Object.entries(run.settings).map(([key, value]) => `${key}=${value}`);
  return [run.name, run.folder, run.device, run.objective, run.seed, ...run.agents, ...settings]
    .join("\n")
    .toLowerCase();
}

const values: Readonly<Record<RunSort, (run: RunSummary) => number | string | null>> = {
  updated: (run) => run.updated,
  name: (run) => run.name,
  task: (run) => run.task,
  state: (run) => run.state,
  step: (run) => run.step,
  left: (run) => run.secondsLeft,
  accuracy: (run) => run.after?.accuracy ?? null,
  tokens: (run) => run.after?.tokens ?? null,
  seed: (run) => run.seed,
};
