import { distribute, type BenchmarkProblem } from "@laconic/benchmarks";
import type { AgentId, Problem } from "@laconic/core";

/** Of the deal: the same everywhere, so that a team meets in a bench what it met in training. */
export const dealSeed = "laconic";

/**
 * Deals what a problem states among a team's holders: who knows what is part of the problem, the same in every run.
 * @returns null where less than two facts could be dealt, and for programs and texts: they are one piece
 */
export function dealTo(holders: readonly AgentId[]): <P extends Problem>(problem: P) => P | null {
  return (problem) => {
    const kind = (problem as Partial<BenchmarkProblem>).grading?.kind;
    if (kind === "code" || kind === "writing") return null;
    return distribute(problem, holders, dealSeed)?.problem ?? null;
  };
}
