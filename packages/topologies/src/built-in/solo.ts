import type { AgentId, Topology } from "@laconic/core";
import { answerOf } from "../answer-rule.ts";
import type { AgentSpec } from "../graph.ts";
import { graphTopology } from "../graph-topology.ts";

/** One agent, one reply: the baseline every team has to beat. */
export function solo<A extends AgentId>(agent: AgentSpec<A>, name = "solo"): Topology {
  return graphTopology({ name, agents: [agent], rounds: 1, answer: answerOf(agent.id) });
}
