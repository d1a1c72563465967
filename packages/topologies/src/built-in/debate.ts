import type { AgentId, Topology } from "@laconic/core";
import { plurality, type AnswerRule } from "../answer-rule.ts";
import { graphTopology } from "../graph-topology.ts";
import type { AgentSpec, Delivery, Graph } from "../graph.ts";

/** Rounds of a debate, what is read in it, and how its answer comes about. */
export interface DebateOptions {
  /** Rounds in all, the first answers included. Default 2, as in Du et al. (2023). */
  readonly rounds?: number;
  /** What of the others is read. Default `last`: their complete message of the round before. */
  readonly delivery?: Delivery;
  /** Default: plurality of the last words. */
  readonly answer?: AnswerRule;
}

/**
 * All answer at once; then, in each round, everybody reads what the others and they themselves said in the round before,
 * and answers again (Du et al., "Improving Factuality and Reasoning through Multiagent Debate").
 */
export function debateGraph(agents: readonly AgentSpec[], { rounds = 2, delivery, answer }: DebateOptions = {}): Graph {
  const ids = agents.map(({ id }) => id);
  const everybody = ids.flatMap((to) =>
    // Its own words first, then the others' in declared order.
    [to, ...ids.filter((id) => id !== to)].map((from) => ({ from, to, ...(delivery && { delivery }) })),
  );
  return {
    name: "debate",
    agents,
    rounds,
    ...(rounds > 1 && { temporal: everybody }),
    answer: answer ?? plurality<AgentId>(ids),
  };
}

/**
 * Plays `debateGraph`.
 * @throws LaconicError `topology_invalid` when the graph cannot run
 */
export function debate(agents: readonly AgentSpec[], options?: DebateOptions): Topology {
  return graphTopology<AgentId>(debateGraph(agents, options));
}
