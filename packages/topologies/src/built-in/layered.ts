import type { AgentId, Topology } from "@laconic/core";
import { answerOf, plurality, type AnswerRule } from "../answer-rule.ts";
import { graphTopology } from "../graph-topology.ts";
import type { AgentSpec, Graph } from "../graph.ts";

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
