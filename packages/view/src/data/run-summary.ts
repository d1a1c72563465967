import type { EvaluationRow, RunState, RunSummary } from "../protocol.ts";
import { leavesOf } from "./settings-of.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a run says of itself in its small files. */
export interface RunFacts {
  readonly config: unknown;
  readonly environment: unknown;
  readonly evaluations: readonly EvaluationRow[];
  readonly warnings: readonly string[];
  /** Of the last row of its metrics; 0 before the first. */
  readonly step: number;
  /** Of each step: what it took. */
  readonly seconds: readonly number[];
  readonly isHeld: boolean;
  /** Why it is no run, or none that is read here. */
  readonly foreign: string | null;
  /** What is lost or torn. */
  readonly damage: readonly string[];
  readonly bytes: number;
  readonly updated: number;
}

/** Steps that the time left is reckoned from. */
const recent = 20;

export function summaryOf(
  named: Pick<RunSummary, "id" | "name" | "folder">,
  facts: RunFacts,
  warnings: number,
): RunSummary {
  const { config, environment, evaluations, step, seconds, bytes, updated } = facts;
  const train = trainOf(config);
  const planned = numberOr(train["steps"], null);
  const state = stateOf(facts, planned);
  const last = seconds.slice(-recent);
  const left = state === "running" && planned !== null && last.length > 0 ? planned - step : null;
  const [before = null] = evaluations;
  const after = evaluations.length > 1 ? (evaluations.at(-1) as EvaluationRow) : null;
  return {
    ...{ ...named, state, step, updated, bytes, before, after, warnings },
    reason: facts.foreign ?? (state === "half-written" ? (facts.damage[0] ?? null) : null),
    plannedSteps: planned,
    seconds: seconds.length === 0 ? null : total(seconds),
    secondsLeft: left === null ? null : (Math.max(0, left) * total(last)) / last.length,
    device: textOr(recordOf(recordOf(environment)["engine"])["device"]) ?? textOr(recordOf(config)["device"]),
    seed: textOr(train["seed"]),
    objective: textOr(recordOf(train["objective"])["name"]) ?? textOr(train["objective"]),
    budgetTokens: numberOr(recordOf(train["budget"])["targetTokens"], null),
    settings: leavesOf(config),
  };
}

function stateOf({ foreign, isHeld, damage, step }: RunFacts, planned: number | null): RunState {
  if (foreign !== null) return "foreign";
  if (isHeld) return "running";
  if (damage.length > 0) return "half-written";
  return planned !== null && step >= planned ? "done" : "stopped";
}

/** Settings of the training: those of the command line stand under `train`, those of a program alone. */
export function trainOf(config: unknown): Json {
  const given = recordOf(config);
  return "train" in given ? recordOf(given["train"]) : given;
}

/** Null for what is no evaluation. */
export function evaluationOf(row: Json): EvaluationRow | null {
  const { step, problems, accuracy, interval, tokens, silence } = row;
  if (typeof step !== "number" || typeof accuracy !== "number") return null;
  const [low, high] = Array.isArray(interval) ? (interval as unknown[]) : [];
  return {
    ...{ step, accuracy },
    problems: numberOr(problems, 0),
    interval: [numberOr(low, 0), numberOr(high, 1)],
    tokens: numberOr(tokens, Number.NaN),
    silence: Object.fromEntries(
      Object.entries(recordOf(silence)).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
    ),
  };
}

export function recordOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function textOr(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

function numberOr<T>(value: unknown, fallback: T): number | T {
  return typeof value === "number" ? value : fallback;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
