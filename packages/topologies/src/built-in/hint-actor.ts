import type { AgentId, Topology } from "@laconic/core";
import { answerOf } from "../answer-rule.ts";
import { graphTopology } from "../graph-topology.ts";
import type { AgentSpec, Graph } from "../graph.ts";

/** The collaborator writes a hint, the actor reads it and answers (AgentPO: q -> h -> y). */
export function hintActorGraph(collaborator: AgentSpec, actor: AgentSpec): Graph {
  return {
    name: "hint-actor",
    agents: [collaborator, actor],
    rounds: 1,
    spatial: [{ from: collaborator.id, to: actor.id }],
    answer: answerOf<AgentId>(actor.id),
  };
}

/**
 * Plays `hintActorGraph`.
 * @throws LaconicError `topology_invalid` when the graph cannot run
 */
export function hintActor(collaborator: AgentSpec, actor: AgentSpec): Topology {
  return graphTopology<AgentId>(hintActorGraph(collaborator, actor));
}
