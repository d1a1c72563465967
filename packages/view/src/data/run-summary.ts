import { isRecord } from "@laconic/core";
import type { RunFacts } from "@laconic/trainer/reading";
import type { RunSummary } from "../protocol.ts";

type Leaf = string | number | boolean | null;

/** Steps that the time left is reckoned from. */
export const recentSteps = 20;

/** The first step loads and compiles, and says nothing of the others. */
const fewest = 3;

/** What the list shows beside the facts. */
export interface RunMeasures {
  /** Seconds of each of the last steps, at most {@link recentSteps}. */
  readonly recent: readonly number[];
  readonly bytes: number;
  /** Of all its files: of a folder that holds nothing of a training. */
  readonly updated: number;
}

export function summaryOf(
  named: Pick<RunSummary, "id" | "name" | "folder">,
  facts: RunFacts,
  { recent, bytes, updated }: RunMeasures,
): RunSummary {
  const { state, reason, step, plannedSteps, before, after, warmStart, seconds, device, seed, train } = facts;
  const left = state === "running" && plannedSteps !== null && recent.length >= fewest ? plannedSteps - step : null;
  const objective = train["objective"];
  const { task, model } = recordOf(facts.config);
  const target = recordOf(train["budget"])["targetTokens"];
  return {
    ...named,
    state,
    reason,
    step,
    plannedSteps,
    before,
    after,
    warmStart,
    seconds,
    device,
    seed,
    bytes,
    updated: facts.updated || updated,
    warnings: facts.warnings.length,
    secondsLeft: left === null ? null : Math.max(0, left) * median(recent),
    task: nameOf(task),
    model: nameOf(model),
    agents: Object.keys(facts.evaluations[0]?.silence ?? {}),
    objective: nameOf(objective),
    budgetTokens: typeof target === "number" ? target : null,
    settings: leavesOf(facts.config),
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** Name of a setting that is a name, or an object with a name or a file. */
function nameOf(value: unknown): string | null {
  const { name, file } = recordOf(value);
  return textOr(name) ?? textOr(file) ?? textOr(value);
}

function textOr(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half) - 1] ?? 0)) / 2;
}

/** Leaves of a configuration by dotted key; a list is one, as JSON. */
function leavesOf(value: unknown, path = ""): Record<string, Leaf> {
  if (!isRecord(value)) return path === "" ? {} : { [path]: leafOf(value) };
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      Object.entries(leavesOf(each, path === "" ? key : `${path}.${key}`)),
    ),
  );
}

function leafOf(value: unknown): Leaf {
  const isPlain = value === null || ["string", "number", "boolean"].includes(typeof value);
  return isPlain ? (value as Leaf) : (JSON.stringify(value) ?? null);
}
