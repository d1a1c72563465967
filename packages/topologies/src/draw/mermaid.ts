import type { Graph } from "../graph.ts";

/** A graph as Mermaid text: solid arrows within a round, dotted ones to the next, the answering agents in double frames. */
export function mermaidOf(graph: Graph): string {
  const name = new Map(graph.agents.map(({ id }, i) => [id, `a${i}`]));
  const answering = new Set<string>(graph.answer.agents);
  const label = (text: string): string => text.replaceAll(/["<>&#]/gu, (char) => `#${char.charCodeAt(0)};`);
  const nodes = graph.agents.map(({ id, role }) => {
    const text = `"${label(id)}<br/>${label(role)}"`;
    return `  ${name.get(id)}${answering.has(id) ? `[[${text}]]` : `[${text}]`}`;
  });
  const arrows = [
    ...(graph.spatial ?? []).map(({ from, to }) => `  ${name.get(from)} --> ${name.get(to)}`),
    ...(graph.temporal ?? []).map(({ from, to }) => `  ${name.get(from)} -.-> ${name.get(to)}`),
  ];
  return [`flowchart LR`, ...nodes, ...arrows].join("\n");
}
