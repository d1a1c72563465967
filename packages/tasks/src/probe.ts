import type { AgentId, Problem, Random, Topology } from "@laconic/core";

/** Changed test problems, or a changed team. */
export interface ProbeCase {
  readonly change: string;
  /** Counterparts in the order of the test problems, or null. */
  readonly problems: readonly (Problem | null)[];
  readonly topology?: Topology;
  /** Extra agents, each with the agent whose model it uses. */
  readonly joins?: Readonly<Record<AgentId, AgentId>>;
}

/** Why a task lacks a family. */
export interface NoProbe {
  readonly none: string;
}

/** Pure families of changed problems. A task's `lying-teammate` replaces the general one. */
export type TaskProbes = (
  problems: readonly Problem[],
  random: Random,
) => Readonly<Record<string, ProbeCase | NoProbe>>;

/** Makes a counterpart of each problem, with separate random streams. */
export function counterparts(
  change: string,
  problems: readonly Problem[],
  random: Random,
  make: (problem: Problem, random: Random) => Problem | null,
): ProbeCase {
  return { change, problems: problems.map((problem, i) => make(problem, random.split(i))) };
}
