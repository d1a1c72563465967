import { checkGraph } from "../check-graph.ts";
import type { Edge, Graph } from "../graph.ts";
import { mermaidOf } from "./mermaid.ts";
import { svgOf } from "./svg.ts";

/** How a graph can be drawn. */
export const drawingFormats = ["mermaid", "svg", "json"] as const;
/** What a graph can be drawn as. */
export type DrawingFormat = (typeof drawingFormats)[number];

/**
 * A graph as text: Mermaid, an SVG picture, or what of it is data as JSON.
 * @throws LaconicError `topology_invalid` for a graph that cannot run
 */
export function drawTopology(graph: Graph, format: DrawingFormat = "mermaid"): string {
  checkGraph(graph);
  switch (format) {
    case "mermaid":
      return mermaidOf(graph);
    case "svg":
      return svgOf(graph);
    case "json":
      return JSON.stringify(plain(graph), null, 2);
  }
}

/** What of a graph is data. */
function plain({ name, agents, rounds, spatial = [], temporal = [], answer }: Graph): object {
  const ends = ({ from, to }: Edge): object => ({ from, to });
  return {
    name,
    agents: agents.map(({ id, role, rounds: own }) => ({ id, role, ...(own && { rounds: own }) })),
    rounds,
    spatial: spatial.map(ends),
    temporal: temporal.map(ends),
    answer: { name: answer.name, agents: answer.agents },
  };
}
