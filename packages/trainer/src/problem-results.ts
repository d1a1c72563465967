import type { ProblemResult } from "@laconic/core";
import type { ScoredRollout } from "./stages/score.ts";

type Results = Readonly<Record<string, ProblemResult>>;

/** Results with those of a step: the mean grade of each problem. Episodes without a grade count nowhere. @param step - from 0 */
export function withResults(
  results: Results,
  scored: readonly Pick<ScoredRollout, "problem" | "measured">[],
  step: number,
): Results {
  const grades = new Map<string, number[]>();
  for (const { problem, measured } of scored)
    if (!Number.isNaN(measured.task)) grades.set(problem.id, [...(grades.get(problem.id) ?? []), measured.task]);
  const found: Record<string, ProblemResult> = { ...results };
  for (const [id, own] of grades) {
    const last = own.reduce((sum, grade) => sum + grade, 0) / own.length;
    const before = Object.hasOwn(results, id) ? results[id] : undefined;
    const plays = (before?.plays ?? 0) + 1;
    const mean = (before?.mean ?? 0) + (last - (before?.mean ?? 0)) / plays;
    found[id] = { plays, mean, last, lastStep: step };
  }
  return found;
}
