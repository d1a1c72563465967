import type { SpeechEdge } from "@laconic/evaluation/analysis";
import type { Markish } from "@observablehq/plot";
import { formatNumber } from "@laconic/core/text";

import { boxAround, boxesAlong, placeLabels, type Box } from "../charts/place-labels.ts";
import type { Plot, SvgTexts } from "../charts/plot-library.ts";
import { fitTo, lineHeight, textWidth } from "../charts/text-size.ts";

/** Who reads how much of whom at some time of a run. */
export interface SpeechPanel {
  readonly title: string;
  readonly edges: readonly SpeechEdge[];
}

type Place = readonly [x: number, y: number];

const panel = { wide: { width: 440, height: 380 }, narrow: { width: 330, height: 330 } } as const;

/** Agents in a circle, an arrow as thick as what is read along it; panels side by side, on a phone one below the other. */
export function drawSpeech(
  plot: Plot,
  agents: readonly string[],
  panels: readonly SpeechPanel[],
  size: "wide" | "narrow",
  texts: SvgTexts,
): string {
  const { width, height } = panel[size];
  const most = Math.max(1e-9, ...panels.flatMap(({ edges }) => edges.map(({ tokens }) => tokens)));
  const across = size === "wide";
  const whole = {
    width: across ? width * panels.length : width,
    height: across ? height : height * panels.length,
  };
  const marks = panels.flatMap((each, i) =>
    panelMarks(plot, agents, each, most, {
      left: across ? i * width : 0,
      right: (across ? i * width : 0) + width,
      top: across ? 0 : i * height,
      bottom: (across ? 0 : i * height) + height,
    }),
  );
  return plot.svg(
    {
      ...whole,
      margin: 0,
      marks,
      x: { domain: [0, whole.width], range: [0, whole.width], axis: null },
      y: { domain: [0, whole.height], range: [0, whole.height], axis: null },
    },
    texts,
  );
}

function panelMarks(
  plot: Plot,
  agents: readonly string[],
  { title, edges }: SpeechPanel,
  most: number,
  bounds: Box,
): Markish[] {
  const [centerX, centerY] = [(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2 + 14];
  const radius = Math.min(bounds.right - bounds.left, bounds.bottom - bounds.top) / 2 - 62;
  const places = new Map<string, Place>(
    agents.map((agent, i) => {
      const angle = (2 * Math.PI * i) / Math.max(1, agents.length) - Math.PI / 2;
      return [agent, [centerX + radius * Math.cos(angle), centerY + radius * Math.sin(angle)]];
    }),
  );
  const arrows = edges.flatMap(({ from, to, tokens }) => {
    const [a, b] = [places.get(from), places.get(to)];
    if (!a || !b || from === to) return [];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    // Beside the line between the two, so that both directions can be told apart.
    const [asideX, asideY] = [(-(b[1] - a[1]) / length) * 6, ((b[0] - a[0]) / length) * 6];
    const start: Place = [a[0] + asideX, a[1] + asideY];
    const end: Place = [b[0] + asideX, b[1] + asideY];
    return [{ start, end, tokens, width: 1 + (6 * tokens) / most }];
  });
  const obstacles = [
    ...[...places.values()].map(([x, y]) => boxAround(x, y, 20, 20)),
    ...arrows.flatMap(({ start, end, width }) => [
      ...boxesAlong([start, end], 3 + width / 2),
      boxAround(end[0] - 0.18 * (end[0] - start[0]), end[1] - 0.18 * (end[1] - start[1]), 24, 24),
    ]),
  ];
  const wanted = [
    ...agents.map((agent) => {
      const [x, y] = places.get(agent) as Place;
      return { x, y, text: fitTo(agent, 130), fill: "var(--ink)" };
    }),
    ...arrows.map(({ start, end, tokens }) => ({
      // Nearer to the speaker, where arrows have not met yet.
      x: start[0] + 0.4 * (end[0] - start[0]),
      y: start[1] + 0.4 * (end[1] - start[1]),
      text: formatNumber(tokens),
      fill: "var(--soft)",
    })),
  ];
  const placed = placeLabels(
    wanted.map(({ x, y, text }) => ({ x, y, width: textWidth(text) + 4, height: lineHeight })),
    obstacles,
    { ...bounds, top: bounds.top + 34 },
  );
  const label = (text: string, x: number, y: number, fill: string, fontWeight = 400): Markish =>
    plot.text([text], { x: [x], y: [y], fill, fontWeight, lineAnchor: "middle" });
  return [
    label(title, centerX, bounds.top + 16, "var(--ink)", 600),
    ...arrows.map(({ start, end, width }) =>
      plot.arrow([0], {
        x1: [start[0]],
        y1: [start[1]],
        x2: [end[0]],
        y2: [end[1]],
        insetStart: 12,
        insetEnd: 14,
        stroke: "var(--accent)",
        strokeWidth: width,
        strokeOpacity: 0.75,
        // The library measures heads in widths of their line.
        headLength: (1.5 * (6 + width)) / width,
      }),
    ),
    plot.dot([...places.values()], { x: "0", y: "1", r: 8, fill: "var(--ink)" }),
    ...wanted.flatMap(({ text, fill }, i) => {
      const at = placed[i];
      return at ? [label(text, at.x, at.y, fill)] : [];
    }),
  ];
}
