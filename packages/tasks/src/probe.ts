import type { AgentId, Problem, Random, Topology } from "@laconic/core";

/** Changed test problems, or a changed team. */
export interface ProbeCase {
  readonly change: string;
  /** Counterparts of the test problems, or null. */
  readonly problems: readonly (Problem | null)[];
  readonly topology?: Topology;
  /** Extra agents with the agent whose model each uses. */
  readonly joins?: Readonly<Record<AgentId, AgentId>>;
}

/** Why a task lacks a family. */
export interface NoProbe {
  readonly none: string;
}

/** Pure families of changed problems; `lying-teammate` replaces the general one. */
export type TaskProbes = (
  problems: readonly Problem[],
  random: Random,
) => Readonly<Record<string, ProbeCase | NoProbe>>;

/** Uses separate random streams. */
export function counterparts(
  change: string,
  problems: readonly Problem[],
  random: Random,
  make: (problem: Problem, random: Random) => Problem | null,
): ProbeCase {
  return { change, problems: problems.map((problem, i) => make(problem, random.split(i))) };
}
