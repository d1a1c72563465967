import type { AgentId, Topology } from "@laconic/core";
import { answerOf } from "../answer-rule.ts";
import { graphTopology } from "../graph-topology.ts";
import type { AgentSpec, Graph } from "../graph.ts";

/** A router names an expert, the expert answers in that role: two calls (the role assignment of ADAS, AgentPO's strongest baseline). */
export function roleAssignmentGraph(router: AgentSpec, expert: AgentSpec): Graph {
  return {
    name: "role-assignment",
    agents: [router, expert],
    rounds: 1,
    spatial: [{ from: router.id, to: expert.id }],
    answer: answerOf<AgentId>(expert.id),
  };
}

/**
 * Plays `roleAssignmentGraph`.
 * @throws LaconicError `topology_invalid` when the graph cannot run
 */
export function roleAssignment(router: AgentSpec, expert: AgentSpec): Topology {
  return graphTopology<AgentId>(roleAssignmentGraph(router, expert));
}
