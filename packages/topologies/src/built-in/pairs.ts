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
