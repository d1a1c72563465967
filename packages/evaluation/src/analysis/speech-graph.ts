import { ledgerTotals, type Episode } from "@laconic/core";
import { escapeHtml } from "../text/escape-html.ts";
import { formatNumber } from "../text/format-number.ts";

/** Who reads how much of whom, tokens per episode. */
export interface SpeechEdge {
  readonly from: string;
  readonly to: string;
  readonly tokens: number;
}

/** Tokens read along each edge, means over the episodes. */
export function speechEdges(episodes: readonly Episode[]): SpeechEdge[] {
  const totals = new Map<string, number>();
  for (const { ledger } of episodes)
    for (const [edge, tokens] of Object.entries(ledgerTotals(ledger).readByEdge))
      totals.set(edge, (totals.get(edge) ?? 0) + tokens);
  return [...totals].map(([edge, tokens]) => {
    const [from = "", to = ""] = edge.split("->");
    return { from, to, tokens: tokens / Math.max(1, episodes.length) };
  });
}

const [panel, radius] = [360, 120] as const;

/**
 * Who speaks to whom: agents in a circle, a line as thick as what is read along it, panels side by side, such as before and after
 * training. All text is escaped.
 * @returns an SVG picture
 */
export function speechGraph(
  agents: readonly string[],
  panels: readonly { readonly title: string; readonly edges: readonly SpeechEdge[] }[],
): string {
  const most = Math.max(1e-9, ...panels.flatMap(({ edges }) => edges.map(({ tokens }) => tokens)));
  const place = (agent: string, offset: number): readonly [x: number, y: number] => {
    const angle = (2 * Math.PI * agents.indexOf(agent)) / Math.max(1, agents.length) - Math.PI / 2;
    return [offset + panel / 2 + radius * Math.cos(angle), panel / 2 + 12 + radius * Math.sin(angle)];
  };
  const drawn = panels.map(({ title, edges }, i) => {
    const offset = i * panel;
    const lines = edges.map(({ from, to, tokens }) => {
      const [[ax, ay], [bx, by]] = [place(from, offset), place(to, offset)];
      const length = Math.hypot(bx - ax, by - ay) || 1;
      const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
      // Beside the line between the two, so that both directions can be told apart.
      const point = (along: number, aside: number): string =>
        `${(ax + ux * along - uy * aside).toFixed(1)},${(ay + uy * along + ux * aside).toFixed(1)}`;
      const [start, end] = [point(14, 5), point(length - 18, 5)];
      const [labelX, labelY] = point(length / 2, 18).split(",");
      const width = (1 + (6 * tokens) / most).toFixed(2);
      return (
        `<path d="M${start} L${end}" stroke="#5b7fa6" stroke-opacity="0.7" stroke-width="${width}" marker-end="url(#arrow)"><title>${escapeHtml(from)} to ${escapeHtml(to)}: ${formatNumber(tokens)} tokens an episode</title></path>` +
        `<text x="${labelX}" y="${labelY}" dy="4" font-size="11" text-anchor="middle" fill="#33475b">${formatNumber(tokens)}</text>`
      );
    });
    const nodes = agents.map((agent) => {
      const [x, y] = place(agent, offset);
      return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="8" fill="#33475b"/><text x="${x.toFixed(1)}" y="${(y - 14).toFixed(1)}" font-size="12" text-anchor="middle">${escapeHtml(agent)}</text>`;
    });
    return `<text x="${offset + panel / 2}" y="20" font-size="14" font-weight="600" text-anchor="middle">${escapeHtml(title)}</text>${lines.join("")}${nodes.join("")}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${panel * panels.length} ${panel + 24}" font-family="system-ui,sans-serif"><defs><marker id="arrow" viewBox="0 0 8 8" refX="5" refY="4" markerWidth="14" markerHeight="14" markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#5b7fa6"/></marker></defs><rect width="100%" height="100%" fill="#fff"/>${drawn.join("")}</svg>`;
}
