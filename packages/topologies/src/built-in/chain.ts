import type { AgentId, Topology } from "@laconic/core";
import { answerOf } from "../answer-rule.ts";
import { graphTopology } from "../graph-topology.ts";
import type { AgentSpec, Graph } from "../graph.ts";

/** Each agent reads the one before it; the last one answers. */
export function chainGraph<A extends AgentId>(agents: readonly [AgentSpec<A>, ...AgentSpec<A>[]]): Graph {
  const last = agents.at(-1) ?? agents[0];
  return {
    name: "chain",
    agents,
    rounds: 1,
    spatial: agents.slice(1).map((agent, i) => ({ from: (agents[i] as AgentSpec<A>).id, to: agent.id })),
    answer: answerOf<AgentId>(last.id),
  };
}

/**
 * Plays `chainGraph`.
 * @throws LaconicError `topology_invalid` when the graph cannot run
 */
export function chain<A extends AgentId>(agents: readonly [AgentSpec<A>, ...AgentSpec<A>[]]): Topology {
  return graphTopology<AgentId>(chainGraph(agents));
}
