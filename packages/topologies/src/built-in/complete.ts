import type { AgentId, Topology } from "@laconic/core";
import { plurality, type AnswerRule } from "../answer-rule.ts";
import { graphTopology } from "../graph-topology.ts";
import type { AgentSpec, Graph } from "../graph.ts";

/** Everybody reads all who were declared before them within a round, and everybody else of the round before. */
export function completeGraph(agents: readonly AgentSpec[], rounds = 1, answer?: AnswerRule): Graph {
  const pairs = agents.flatMap(({ id: from }, i) => agents.map(({ id: to }, j) => ({ from, to, forward: i < j })));
  const edges = (forward: boolean): { from: AgentId; to: AgentId }[] =>
    pairs.filter((pair) => pair.forward === forward && pair.from !== pair.to).map(({ from, to }) => ({ from, to }));
  return {
    name: "complete",
    agents,
    rounds,
    spatial: edges(true),
    ...(rounds > 1 && { temporal: edges(false) }),
    answer: answer ?? plurality<AgentId>(agents.map(({ id }) => id)),
  };
}

/**
 * Plays `completeGraph`.
 * @throws LaconicError `topology_invalid` when the graph cannot run
 */
export function complete(agents: readonly AgentSpec[], rounds?: number, answer?: AnswerRule): Topology {
  return graphTopology<AgentId>(completeGraph(agents, rounds, answer));
}
