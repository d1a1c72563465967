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
export interface GroupFigures {
  readonly problems: number;
  readonly accuracy: number;
  readonly tokens: number;
  readonly measures: Readonly<Record<string, number>>;
}

/** More evaluations are thinned out. */
const maxEvaluations = 2000;

/** First and last evaluation, and a selection between them. */
export async function evaluationsIn(source: RunSource): Promise<RunEvaluation[]> {
  let [found, every, seen]: [RunEvaluation[], number, number] = [[], 1, 0];
  let last: RunEvaluation | null = null;
  for await (const row of eachRow(source, runFiles.evaluations)) {
    const evaluation = evaluationOf(row);
    if (!evaluation) continue;
    last = evaluation;
    if (seen++ % every !== 0) continue;
    found.push(evaluation);
    if (found.length < maxEvaluations) continue;
    found = found.filter((_, i) => i % 2 === 0);
    every *= 2;
  }
  return last && found.at(-1) !== last ? [...found, last] : found;
}

/** Evaluation of a row; null for another row. */
export function evaluationOf(row: UnknownRecord): RunEvaluation | null {
  const [step, accuracy, tokens] = [row["step"], row["accuracy"], row["tokens"]].map((each) => numberOr(each));
  if (typeof step !== "number" || typeof accuracy !== "number" || typeof tokens !== "number") return null;
  const [low, high] = (Array.isArray(row["interval"]) ? row["interval"] : []).map((end) => numberOr(end));
  const groups = Object.entries(recordIn(row["groups"]) ?? {}).flatMap(([name, own]) => {
    const figures = groupOf(recordIn(own) ?? {});
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
  const [problems, accuracy, tokens] = [row["problems"], row["accuracy"], row["tokens"]].map((each) => numberOr(each));
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

/** A measure at one point of a run. */
export interface FamilyColumn {
  /** `right`, or a reward measure, such as `idle silent`. */
  readonly measure: string;
  /** `step 0`, `step 50` or `test`. */
  readonly at: string;
}

/** Results of one problem family by column. */
export interface FamilyRow {
  readonly family: string;
  /** Whether the family is trained completely: groups called `known`. */
  readonly isTrained: boolean;
  readonly problems: number;
  /** Shares 0..1 by column. */
  readonly shares: readonly (number | null)[];
}

/** Accuracy and measured shares by problem group. */
export interface FamilyTable {
  readonly columns: readonly FamilyColumn[];
  readonly rows: readonly FamilyRow[];
}

/** Heat map, trained families first; null without groups. @param evaluations - in the run's order */
export function familyTable(evaluations: readonly RunEvaluation[], test: RunEvaluation | null): FamilyTable | null {
  const [first, last] = [evaluations[0], evaluations.at(-1)];
  const points = [
    ...(first ? [{ at: `step ${first.step}`, groups: first.groups ?? {} }] : []),
    ...(last && last !== first ? [{ at: `step ${last.step}`, groups: last.groups ?? {} }] : []),
    ...(test ? [{ at: "test", groups: test.groups ?? {} }] : []),
  ];
  const families = [...new Set(points.flatMap(({ groups }) => Object.keys(groups)))];
  if (families.length === 0) return null;
  const isShare = (measure: string): boolean =>
    points.every(({ groups }) => Object.values(groups).every(({ measures }) => within(measures[measure])));
  const counted = new Set(
    points.flatMap(({ groups }) => Object.values(groups).flatMap(({ measures }) => Object.keys(measures))),
  );
  const measures = [...counted].filter((measure) => isShare(measure)).toSorted();
  const columns = ["right", ...measures].flatMap((measure) => points.map((point) => ({ measure, point })));
  const rows = families.map((family) => ({
    family,
    isTrained: family.startsWith("known"),
    problems: Math.max(...points.map(({ groups }) => groups[family]?.problems ?? 0)),
    shares: columns.map(({ measure, point: { groups } }) => {
      const group = groups[family];
      return (measure === "right" ? group?.accuracy : group?.measures[measure]) ?? null;
    }),
  }));
  return {
    columns: columns.map(({ measure, point: { at } }) => ({ measure: measure.replaceAll("_", " "), at })),
    rows: rows.toSorted(
      (a, b) => Number(b.isTrained) - Number(a.isTrained) || (a.family < b.family ? -1 : a.family > b.family ? 1 : 0),
    ),
  };
}

function within(value: number | undefined): boolean {
  return value === undefined || (value >= 0 && value <= 1);
}
