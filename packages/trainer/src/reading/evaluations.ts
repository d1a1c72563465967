import type { UnknownRecord } from "@laconic/core";
import { runFiles } from "@laconic/core/run-folder";
import { eachRow } from "./rows.ts";
import { recordIn, type RunSource } from "./run-source.ts";

/** Row of `evaluations.jsonl`: accuracy 0..1, mean tokens per episode. */
export interface RunEvaluation {
  readonly step: number;
  readonly problems: number;
  readonly accuracy: number;
  /** 95 % interval of the accuracy. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly tokens: number;
  /** Share of empty turns by agent. */
  readonly silence: Readonly<Record<string, number>>;
  /** Figures by problem group. */
  readonly groups?: Readonly<Record<string, GroupFigures>>;
}

/** Accuracy and tokens of a group of problems. */
export interface GroupFigures extends Pick<RunEvaluation, "problems" | "accuracy" | "tokens"> {
  readonly measures: Readonly<Record<string, number>>;
}

/** More evaluations are thinned out. */
const maxEvaluations = 2000;

/** First and last evaluation, and a selection between them. */
export async function evaluationsIn(source: RunSource): Promise<RunEvaluation[]> {
  let [matches, every, seen]: [RunEvaluation[], number, number] = [[], 1, 0];
  let last: RunEvaluation | null = null;
  for await (const row of eachRow(source, runFiles.evaluations)) {
    const evaluation = evaluationOf(row);
    if (!evaluation) continue;
    last = evaluation;
    if (seen++ % every !== 0) continue;
    matches.push(evaluation);
    if (matches.length < maxEvaluations) continue;
    matches = matches.filter((_, i) => i % 2 === 0);
    every *= 2;
  }
  return last && matches.at(-1) !== last ? [...matches, last] : matches;
}

/** Evaluation of a row; null for another row. */
export function evaluationOf(row: UnknownRecord): RunEvaluation | null {
  const [step, accuracy, tokens] = [row["step"], row["accuracy"], row["tokens"]].map(numberOr);
  if (typeof step !== "number" || typeof accuracy !== "number" || typeof tokens !== "number") return null;
  const [low, high] = (Array.isArray(row["interval"]) ? row["interval"] : []).map(numberOr);
  const groups = Object.entries(recordIn(row["groups"]) ?? {}).flatMap(([name, group]) => {
    const figures = groupOf(recordIn(group) ?? {});
    return figures ? [[name, figures] as const] : [];
  });
  return {
    step,
    accuracy,
    tokens,
    problems: numberOr(row["problems"]) ?? 0,
    interval: typeof low === "number" && typeof high === "number" ? [low, high] : null,
    silence: numbersIn(row["silence"]),
    ...(groups.length > 0 && { groups: Object.fromEntries(groups) }),
  };
}

function groupOf(row: UnknownRecord): GroupFigures | null {
  const [problems, accuracy, tokens] = [row["problems"], row["accuracy"], row["tokens"]].map(numberOr);
  if (typeof problems !== "number" || typeof accuracy !== "number" || typeof tokens !== "number") return null;
  return { problems, accuracy, tokens, measures: numbersIn(row["measures"]) };
}

function numbersIn(value: unknown): Record<string, number> {
  return Object.fromEntries(
    Object.entries(recordIn(value) ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

/** A finite number, else null. */
export function numberOr(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
