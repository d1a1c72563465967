import type { AgentId, Topology } from "@laconic/core";
import { answerOf } from "../answer-rule.ts";
import { graphTopology } from "../graph-topology.ts";
import type { AgentSpec, Graph } from "../graph.ts";

/** The actor drafts, the critic comments on the draft, the actor answers again (AgentPO: q -> y_init -> c -> y_ref). */
export function criticActorGraph(actor: AgentSpec, critic: AgentSpec): Graph {
  return {
    name: "critic-actor",
    agents: [
      { ...actor, rounds: [0, 1] },
      { ...critic, rounds: [0] },
    ],
    rounds: 2,
    spatial: [{ from: actor.id, to: critic.id }],
    temporal: [
      { from: actor.id, to: actor.id },
      { from: critic.id, to: actor.id },
    ],
    answer: answerOf<AgentId>(actor.id),
  };
}

/**
 * Plays `criticActorGraph`.
 * @throws LaconicError `topology_invalid` when the graph cannot run
 */
export function criticActor(actor: AgentSpec, critic: AgentSpec): Topology {
  return graphTopology<AgentId>(criticActorGraph(actor, critic));
}
