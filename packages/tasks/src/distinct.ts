import type { Problem } from "@laconic/core";

/** Draws in vain, for each problem that is wanted, after which there are no others. */
const patience = 20;

/** The first different problems that are drawn, by their ids: `count`, or as many as there are. */
export function distinct<P extends Problem>(count: number, draw: () => P): P[] {
  const problems = new Map<string, P>();
  for (let tries = patience * count; problems.size < count && tries > 0; tries--) {
    const problem = draw();
    problems.set(problem.id, problems.get(problem.id) ?? problem);
  }
  return [...problems.values()];
}
