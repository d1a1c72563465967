import type { Markish } from "@observablehq/plot";
import { formatNumber } from "@laconic/core/text";
import type { PlaneAxes } from "./plane.ts";
import type { PlaneChart, PlanePoint } from "./plane.ts";
import { boxAround, boxesAlong, placeLabels, type Box } from "./place-labels.ts";
import type { Plot } from "./plot-library.ts";
import { fitTo, lineHeight, textWidth } from "./text-size.ts";

interface Label {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  /** A point's; the budget's is plain. */
  readonly bold: boolean;
}

/** Labels where they lie on nothing, joined to their points where they had to move away; those without room are left out. */
export function planeLabels(plot: Plot, chart: PlaneChart, axes: PlaneAxes, joined: readonly PlanePoint[]): Markish[] {
  const { frame } = axes;
  const labels: Label[] = chart.points
    .filter(({ label }) => label !== undefined)
    .map(({ tokens, accuracy, label = "" }) => ({
      x: axes.x(tokens),
      y: axes.y(accuracy),
      text: fitTo(label, 300),
      bold: true,
    }));
  if (chart.budget !== null)
    labels.push({
      x: axes.x(chart.budget),
      y: frame.bottom - 20,
      text: `budget ${formatNumber(chart.budget)}`,
      bold: false,
    });
  const wanted = labels.map(({ x, y, text, bold }) => ({
    x,
    y,
    width: textWidth(text) * (bold ? 1.06 : 1) + 6,
    height: lineHeight + 2,
  }));
  const placed = placeLabels(wanted, obstaclesOf(chart, axes, joined), {
    left: frame.left + 2,
    right: frame.right + 22,
    top: frame.top - 6,
    bottom: frame.bottom - 2,
  });
  return labels.flatMap(({ x, y, text, bold }, i) => {
    const at = placed[i];
    if (!at) return [];
    const label = plot.text([text], {
      frameAnchor: "top-left",
      textAnchor: "middle",
      lineAnchor: "middle",
      dx: at.x - frame.left,
      dy: at.y - frame.top,
      fill: bold ? "var(--ink)" : "var(--soft)",
      fontWeight: bold ? 600 : 400,
    });
    if (!at.leader || !bold) return [label];
    const [halfWidth, halfHeight] = [textWidth(text) / 2 + 2, lineHeight / 2];
    const [endX, endY] = [clamp(x, at.x - halfWidth, at.x + halfWidth), clamp(y, at.y - halfHeight, at.y + halfHeight)];
    const leader = plot.link([0], {
      x1: [axes.tokensAt(x)],
      y1: [axes.accuracyAt(y)],
      x2: [axes.tokensAt(endX)],
      y2: [axes.accuracyAt(endY)],
      stroke: "var(--soft)",
      strokeOpacity: 0.8,
    });
    return [leader, label];
  });
}

/** Everything drawn that a label must not lie on. */
function obstaclesOf({ points, budget }: PlaneChart, axes: PlaneAxes, joined: readonly PlanePoint[]): Box[] {
  const { top, bottom } = axes.frame;
  return [
    ...points.map(({ tokens, accuracy }) => boxAround(axes.x(tokens), axes.y(accuracy), 16, 16)),
    ...points.flatMap(({ tokens, interval }) => {
      const x = axes.x(tokens);
      return interval === null
        ? []
        : [{ left: x - 2, right: x + 2, top: axes.y(interval[1]), bottom: axes.y(interval[0]) }];
    }),
    ...boxesAlong(joined.map(({ tokens, accuracy }) => [axes.x(tokens), axes.y(accuracy)])),
    ...(budget === null ? [] : [{ left: axes.x(budget) - 3, right: axes.x(budget) + 3, top, bottom }]),
  ];
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
