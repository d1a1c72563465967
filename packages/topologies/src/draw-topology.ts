import { checkGraph, speakingWaves } from "./check-graph.ts";
import type { Edge, Graph } from "./graph.ts";
import type { AgentId } from "@laconic/core";
import { colourStyle } from "@laconic/core/design";

/** Drawing formats. */
export const drawingFormats = ["mermaid", "svg", "json"] as const;
/** Drawing format. */
export type DrawingFormat = (typeof drawingFormats)[number];

/**
 * Draws a graph.
 * @throws LaconicError `topology_invalid`
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

function plain({ name, agents, rounds, spatial = [], temporal = [], answer }: Graph): object {
  const ends = ({ from, to }: Edge): object => ({ from, to });
  return {
    name,
    agents: agents.map(({ id, role, rounds: spoken }) => ({ id, role, ...(spoken && { rounds: spoken }) })),
    rounds,
    spatial: spatial.map(ends),
    temporal: temporal.map(ends),
    answer: { name: answer.name, agents: answer.agents },
  };
}

/** Mermaid: solid arrows within a round, dotted ones to the next. */
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

const [boxWidth, boxHeight, columnGap, rowGap, margin, bowRoom] = [132, 48, 84, 32, 28, 16] as const;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** SVG: a column per wave, solid arrows within a round, dashed ones to the next. */
export function svgOf(graph: Graph): string {
  const waves = speakingWaves(graph);
  const tallest = Math.max(...waves.map((wave) => wave.length));
  const height = 2 * margin + tallest * boxHeight + (tallest - 1) * rowGap + 24;
  const width = Math.max(360, 2 * margin + waves.length * boxWidth + (waves.length - 1) * columnGap + bowRoom);
  const places = new Map<AgentId, Place>();
  waves.forEach((wave, column) => {
    const used = wave.length * boxHeight + (wave.length - 1) * rowGap;
    wave.forEach(({ id }, row) => {
      const y = (height - 24 - used) / 2 + row * (boxHeight + rowGap);
      places.set(id, { x: margin + column * (boxWidth + columnGap), y });
    });
  });
  const answering = new Set<string>(graph.answer.agents);
  const boxes = graph.agents.map(({ id, role }) => {
    const { x, y } = places.get(id)!;
    const frame = answering.has(id) ? ' stroke-width="2.5"' : "";
    return (
      `<rect x="${x}" y="${y}" width="${boxWidth}" height="${boxHeight}" rx="8" fill="var(--panel)" stroke="var(--edge)"${frame}/>` +
      `<text x="${x + boxWidth / 2}" y="${y + 21}" text-anchor="middle" font-weight="600" fill="var(--ink)">${escaped(shortened(id, 16))}</text>` +
      `<text x="${x + boxWidth / 2}" y="${y + 37}" text-anchor="middle" font-size="11" fill="var(--soft)">${escaped(shortened(role, 20))}</text>`
    );
  });
  const arrow =
    (dashed: boolean) =>
    (edge: Edge): string => {
      const line = curve(places.get(edge.from)!, places.get(edge.to)!);
      return `<path d="${line}" fill="none" stroke="var(--${dashed ? "edge" : "ink"})"${dashed ? ' stroke-dasharray="5 4"' : ""} marker-end="url(#tip)"/>`;
    };
  const rounds = graph.rounds === 1 ? "1 round" : `${graph.rounds} rounds`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">`,
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="var(--ink)"/></marker></defs>`,
    `<style>${colourStyle()}</style><rect width="100%" height="100%" rx="10" fill="var(--paper)"/>`,
    ...(graph.temporal ?? []).map(arrow(true)),
    ...(graph.spatial ?? []).map(arrow(false)),
    ...boxes,
    `<text x="${margin}" y="${height - 12}" font-size="11" fill="var(--soft)">${escaped(shortened(`${graph.name}: ${rounds}, answer ${graph.answer.name}`, 56))}</text>`,
    `</svg>`,
  ].join("\n");
}

function curve(from: Place, to: Place): string {
  const middle = boxHeight / 2;
  if (from === to) {
    const [x, y] = [from.x + boxWidth / 2, from.y];
    return `M${x - 18} ${y} C${x - 26} ${y - 30} ${x + 26} ${y - 30} ${x + 18} ${y}`;
  }
  if (from.x < to.x) {
    const [x1, y1, x2, y2] = [from.x + boxWidth, from.y + middle, to.x, to.y + middle];
    const bend = (x2 - x1) / 2;
    return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }
  if (from.x === to.x) {
    const [x, y1, y2] = [
      from.x + boxWidth,
      from.y + middle + (to.y > from.y ? 8 : -8),
      to.y + middle + (to.y > from.y ? -8 : 8),
    ];
    return `M${x} ${y1} C${x + 40} ${y1} ${x + 40} ${y2} ${x} ${y2}`;
  }
  const [x1, y1, x2, y2] = [from.x + boxWidth / 2, from.y + boxHeight, to.x + boxWidth / 2, to.y + boxHeight];
  return `M${x1} ${y1} C${x1} ${y1 + 26} ${x2} ${y2 + 26} ${x2} ${y2}`;
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (char) => `&#${char.charCodeAt(0)};`);
}
