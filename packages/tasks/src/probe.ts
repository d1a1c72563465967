import type { AgentId, Problem, Random, Topology } from "@laconic/core";

/** A family of changed test problems, or a changed team. */
export interface ProbeCase {
  /** The change, as a table names it. */
  readonly change: string;
  /** One counterpart per test problem, in their order, or null. */
  readonly problems: readonly (Problem | null)[];
  /** Replaces the task's topology. */
  readonly topology?: Topology;
  /** Agents that the task's team lacks, each with the agent whose model it uses. */
  readonly joins?: Readonly<Record<AgentId, AgentId>>;
}

/** Why a task cannot have a family. */
export interface NoProbe {
  readonly none: string;
}

/** Families of changed test problems, by name and pure. A task's `lying-teammate` replaces the general one. */
export type TaskProbes = (
  problems: readonly Problem[],
  random: Random,
) => Readonly<Record<string, ProbeCase | NoProbe>>;

/** A counterpart for each problem, each from a separate stream. */
export function counterparts(
  change: string,
  problems: readonly Problem[],
  random: Random,
  make: (problem: Problem, random: Random) => Problem | null,
): ProbeCase {
  return { change, problems: problems.map((problem, i) => make(problem, random.split(i))) };
}
