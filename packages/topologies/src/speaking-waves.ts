import { LaconicError, type AgentId } from "@laconic/core";
import type { AgentSpec, Graph } from "./graph.ts";

/**
 * The agents of one round in the order they may speak: a wave speaks together, once all it reads is written.
 * Agents of a wave keep their declared order.
 *
 * @throws LaconicError `topology_invalid` naming a cycle of spatial edges.
 */
export function speakingWaves(graph: Graph): AgentSpec[][] {
  const waiting = new Set(graph.agents.map((agent) => agent.id));
  const awaited = (id: AgentId): AgentId | undefined =>
    graph.spatial?.find((edge) => edge.to === id && waiting.has(edge.from))?.from;

  const waves: AgentSpec[][] = [];
  while (waiting.size > 0) {
    const wave = graph.agents.filter(({ id }) => waiting.has(id) && awaited(id) === undefined);
    if (wave.length === 0) {
      const cycle = findCycle([...waiting][0], awaited).join(" -> ");
      throw new LaconicError(
        "topology_invalid",
        `graph "${graph.name}": spatial edges form the cycle ${cycle}; make one of them temporal`,
        { graph: graph.name, cycle },
      );
    }
    for (const { id } of wave) waiting.delete(id);
    waves.push(wave);
  }
  return waves;
}

/** Walks from reader to awaited writer until an agent comes back; returned in reading direction. */
function findCycle(start: AgentId | undefined, awaited: (id: AgentId) => AgentId | undefined): AgentId[] {
  const path: AgentId[] = [];
  let agent = start;
  while (agent !== undefined && !path.includes(agent)) {
    path.unshift(agent);
    agent = awaited(agent);
  }
  return agent === undefined ? path : [agent, ...path.slice(0, path.indexOf(agent) + 1)];
}
