import { LaconicError, shownValue, type ErrorDetail, type AgentId } from "@laconic/core";
import type { Edge, Graph, AgentSpec } from "./graph.ts";

/** @throws LaconicError `topology_invalid` for an invalid graph or parts without effect */
export function checkGraph(graph: Graph): void {
  const refuse = (message: string, detail: ErrorDetail = {}): never => {
    throw new LaconicError("topology_invalid", `graph "${graph.name}": ${message}`, {
      graph: graph.name,
      ...detail,
    });
  };
  const { agents, rounds, spatial = [], temporal = [], answer } = graph;

  if (agents.length === 0) refuse("it has no agents; add at least one");
  const ids = new Set<string>();
  for (const { id, maxTokens, prompt } of agents) {
    if (typeof id !== "string" || id === "") refuse(`an agent's id is ${shownValue(id)}; give it a name`);
    if (ids.has(id)) refuse(`agent "${id}" is declared twice; rename one`, { agent: id });
    if (!isCount(maxTokens))
      refuse(`agent "${id}" has maxTokens ${maxTokens}; use an integer of at least 1`, {
        agent: id,
        maxTokens,
      });
    if (typeof prompt !== "function")
      refuse(`the prompt of agent "${id}" is ${shownValue(prompt)}; use a function of what the agent sees`, {
        agent: id,
      });
    ids.add(id);
  }
  for (const { id, rounds: spoken } of agents) {
    const outside = spoken?.find((round) => !(Number.isInteger(round) && round >= 0 && round < rounds));
    if (outside !== undefined)
      refuse(`agent "${id}" speaks in round ${outside}; rounds count from 0 to ${rounds - 1}`, {
        agent: id,
        round: outside,
      });
    if (spoken?.length === 0) refuse(`agent "${id}" never speaks; remove it`, { agent: id });
  }
  if (!isCount(rounds)) refuse(`it has ${rounds} rounds; use an integer of at least 1`, { rounds });

  const checkEdges = (kind: string, edges: readonly Edge[]): void => {
    const seen = new Set<string>();
    for (const { from, to } of edges) {
      const edge = `${from} -> ${to}`;
      for (const end of [from, to])
        if (!ids.has(end)) refuse(`${kind} edge ${edge} names the unknown agent "${end}"`, { edge, agent: end });
      const key = JSON.stringify([from, to]);
      if (seen.has(key)) refuse(`${kind} edge ${edge} is declared twice; remove one`, { edge });
      seen.add(key);
    }
  };
  checkEdges("spatial", spatial);
  checkEdges("temporal", temporal);
  const self = spatial.find(({ from, to }) => from === to);
  if (self)
    refuse(`agent "${self.from}" would read itself within a round; memory is a temporal edge`, {
      agent: self.from,
    });
  if (temporal.length > 0 && rounds === 1)
    refuse("temporal edges have no effect in one round; add rounds or remove them", { rounds });

  const undelivered = findUndelivered(graph);
  if (undelivered) refuse(undelivered.message, { edge: undelivered.edge });

  if (answer.agents.length === 0) refuse("the answer rule is empty; name an agent");
  for (const agent of answer.agents)
    if (!ids.has(agent)) refuse(`the answer rule names the unknown agent "${agent}"`, { agent });
  if (new Set(answer.agents).size < answer.agents.length) refuse("the answer rule names an agent twice");

  speakingWaves(graph);
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}

/** Writer and reader speak in different rounds. */
function findUndelivered({
  agents,
  rounds,
  spatial = [],
  temporal = [],
}: Graph): { edge: string; message: string } | null {
  const all = Array.from({ length: rounds }, (_, round) => round);
  const roundsOf = (id: string): readonly number[] => agents.find((agent) => agent.id === id)?.rounds ?? all;
  const spoken = (id: string): string => `${id} speaks in round ${roundsOf(id).join(", ")}`;
  const edges = [
    ...spatial.map((edge) => ({ ...edge, kind: "spatial", lag: 0 })),
    ...temporal.map((edge) => ({ ...edge, kind: "temporal", lag: 1 })),
  ];
  for (const { from, to, delivery, kind, lag } of edges) {
    const arrives = (sent: number, read: number): boolean =>
      delivery === "full" ? sent <= read - lag : sent === read - lag;
    if (roundsOf(to).some((read) => roundsOf(from).some((sent) => arrives(sent, read)))) continue;
    const edge = `${from} -> ${to}`;
    const message = `${kind} edge ${edge} never delivers: ${spoken(from)}, and ${spoken(to)}; change the rounds or remove the edge`;
    return { edge, message };
  }
  return null;
}

/**
 * Agents that speak together, in declared order, once all they read is written.
 * @throws LaconicError `topology_invalid` for a cycle of spatial edges
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

function findCycle(start: AgentId | undefined, awaited: (id: AgentId) => AgentId | undefined): AgentId[] {
  const path: AgentId[] = [];
  let agent = start;
  while (agent !== undefined && !path.includes(agent)) {
    path.unshift(agent);
    agent = awaited(agent);
  }
  return agent === undefined ? path : [agent, ...path.slice(0, path.indexOf(agent) + 1)];
}
