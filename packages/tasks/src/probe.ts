import type { AgentId, Problem, Random, Topology } from "@laconic/core";

/** A family of changed test problems, or a changed team. */
export interface ProbeCase {
  /** What was changed, in words for a table. */
  readonly change: string;
  /** One for each test problem, in their order; null where it has no counterpart. */
  readonly problems: readonly (Problem | null)[];
  /** In place of the task's own. */
  readonly topology?: Topology;
  /** Agents that the task's team lacks, each with the agent whose model it speaks with. */
  readonly joins?: Readonly<Record<AgentId, AgentId>>;
}

/** Why a task cannot have a family. */
export interface NoProbe {
  readonly none: string;
}

/**
 * Families that a task makes of its test problems, by name; pure: the same stream gives the same problems. One of
 * `lying-teammate` stands in place of the general one.
 */
export type TaskProbes = (
  problems: readonly Problem[],
  random: Random,
) => Readonly<Record<string, ProbeCase | NoProbe>>;

/** A counterpart for each problem, each of a stream of its own. */
export function counterparts(
  change: string,
  problems: readonly Problem[],
  random: Random,
  make: (problem: Problem, random: Random) => Problem | null,
): ProbeCase {
  return { change, problems: problems.map((problem, i) => make(problem, random.split(i))) };
}

/** Draws in vain after which a problem has no counterpart. */
const patience = 200;

/** The first drawn problem that fits; null after many that do not. */
export function firstFitting(draw: () => Problem, fits: (problem: Problem) => boolean): Problem | null {
  for (let tries = 0; tries < patience; tries++) {
    const problem = draw();
    if (fits(problem)) return problem;
  }
  return null;
}
