import type { AgentId, Topology } from "@laconic/core";
import { answerOf, type AnswerRule, plurality } from "../answer-rule.ts";
import { graphTopology } from "../graph-topology.ts";
import type { AgentSpec, Graph } from "../graph.ts";

/** One agent, one reply: the baseline every team has to beat. */
export function solo<A extends AgentId>(agent: AgentSpec<A>, name = "solo"): Topology {
  return graphTopology({ name, agents: [agent], rounds: 1, answer: answerOf(agent.id) });
}

/** Speakers write at once, unheard by each other; the answerer reads them all, in declared order, and answers. */
export function star<A extends AgentId>(
  speakers: readonly AgentSpec<A>[],
  answerer: AgentSpec<A>,
  name = "star",
): Topology {
  return graphTopology<AgentId>({
    name,
    agents: [...speakers, answerer],
    rounds: 1,
    spatial: speakers.map((speaker) => ({ from: speaker.id, to: answerer.id })),
    answer: answerOf(answerer.id),
  });
}

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

/** Everybody of a layer reads everybody of the layer before; the last layer answers, by plurality where it is several. */
export function layeredGraph(layers: readonly (readonly AgentSpec[])[], answer?: AnswerRule): Graph {
  const last = (layers.at(-1) ?? []).map(({ id }) => id);
  const [only] = last;
  return {
    name: "layered",
    agents: layers.flat(),
    rounds: 1,
    spatial: layers
      .slice(1)
      .flatMap((layer, i) => (layers[i] ?? []).flatMap(({ id: from }) => layer.map(({ id: to }) => ({ from, to })))),
    answer: answer ?? (last.length === 1 && only !== undefined ? answerOf<AgentId>(only) : plurality(last)),
  };
}

/**
 * Plays `layeredGraph`.
 * @throws LaconicError `topology_invalid` when the graph cannot run
 */
export function layered(layers: readonly (readonly AgentSpec[])[], answer?: AnswerRule): Topology {
  return graphTopology<AgentId>(layeredGraph(layers, answer));
}
