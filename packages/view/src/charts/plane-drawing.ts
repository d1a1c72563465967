import { frontierOf } from "@laconic/evaluation";
import type { Markish } from "@observablehq/plot";
import { formatNumber } from "@laconic/core/text";
import { planeAxes, type PlaneAxes } from "./plane.ts";
import type { PlaneChart, PlanePoint } from "./plane.ts";
import { planeLabels } from "./plane-labels.ts";
import type { Plot, SvgTexts } from "./plot-library.ts";
import { textWidth } from "./text-size.ts";
import { logTicks, roundTicks, tickFormat } from "./ticks.ts";

/** Of the part with the axes: text is as large in both. */
export const planeSizes = { wide: { width: 900, height: 380 }, narrow: { width: 330, height: 310 } } as const;

/** Room beyond the axes' part for what a file draws besides: its title above, its legend below. */
export interface PlaneRoom {
  readonly above: number;
  readonly below: number;
  extra(axes: PlaneAxes): readonly Markish[];
}

const noRoom: PlaneRoom = { above: 0, below: 0, extra: () => [] };

/** The plane as SVG markup. */
export function drawPlane(
  plot: Plot,
  chart: PlaneChart,
  size: "wide" | "narrow",
  texts: SvgTexts,
  { above, below, extra }: PlaneRoom = noRoom,
): string {
  const { points, budget, logarithmic } = chart;
  const [width, height] = [planeSizes[size].width, planeSizes[size].height + above + below];
  const margins = {
    marginLeft: Math.ceil(22 + textWidth("100 %")),
    marginRight: 26,
    marginTop: 36 + above,
    marginBottom: 48 + below,
  };
  const frame = {
    left: margins.marginLeft,
    right: width - margins.marginRight,
    top: margins.marginTop,
    bottom: height - margins.marginBottom,
  };
  const axes = planeAxes(frame, points, chart);
  const across = frame.right - frame.left;
  const yTicks = roundTicks(axes.accuracy[0], 1, 5);
  const xTicks = logarithmic ? logTicks(...axes.tokens, across / 60) : roundTicks(...axes.tokens, across / 80);
  const xText = logarithmic ? formatNumber : tickFormat(xTicks, "");
  const joined = joinedPoints(chart);
  const ranges = points.filter(({ interval }) => interval !== null);
  const marks: Markish[] = [
    plot.gridY(yTicks, { stroke: "var(--line)", strokeOpacity: 1 }),
    plot.axisY(yTicks, {
      tickSize: 0,
      tickPadding: 8,
      label: null,
      tickFormat: tickFormat(yTicks, "%"),
      fill: "var(--soft)",
    }),
    // Not the library's axis: it leaves out every tick of a short logarithmic axis but the powers of ten.
    plot.text(xTicks, {
      x: (tick: number) => tick,
      text: (tick: number) => xText(tick),
      frameAnchor: "bottom",
      lineAnchor: "top",
      dy: 9,
      fill: "var(--soft)",
      fontVariant: "tabular-nums",
    }),
    plot.text([yLabelOf(chart)], { frameAnchor: "top-left", dx: 12 - frame.left, dy: -32, fill: "var(--soft)" }),
    plot.text([chart.xLabel], { frameAnchor: "bottom-right", dy: 42, fill: "var(--soft)" }),
    ...(budget === null ? [] : [plot.ruleX([budget], { stroke: "var(--soft)", strokeDasharray: "5 4" })]),
    plot.ruleX(ranges, {
      x: "tokens",
      stroke: "var(--soft)",
      strokeOpacity: 0.5,
      y1: ({ interval }: PlanePoint) => interval?.[0] ?? 0,
      y2: ({ interval }: PlanePoint) => interval?.[1] ?? 0,
    }),
    plot.line(joined, {
      x: "tokens",
      y: "accuracy",
      strokeWidth: 2,
      stroke: chart.joined === "path" ? "var(--accent)" : "var(--soft)",
      ...(chart.joined === "frontier" && { strokeDasharray: "4 3" }),
    }),
    ...points.map((point) => dotOf(plot, point)),
    ...planeLabels(plot, chart, axes, joined),
    ...extra(axes),
  ];
  return plot.svg(
    {
      width,
      height,
      ...margins,
      marks,
      x: { type: logarithmic ? "log" : "linear", domain: axes.tokens, range: [frame.left, frame.right], axis: null },
      y: { domain: axes.accuracy, range: [frame.bottom, frame.top], axis: null },
    },
    texts,
  );
}

function yLabelOf({ n }: PlaneChart): string {
  return n === "" ? "accuracy" : `accuracy, n = ${n}`;
}

function dotOf(plot: Plot, point: PlanePoint): Markish {
  const { hollow, faint, label, color } = point;
  const hue = color === 0 ? "var(--soft)" : `var(--c${color})`;
  const fill = hollow ? "var(--panel)" : hue;
  const r = faint ? 3.5 : label === undefined ? 4 : 6;
  return plot.dot([point], {
    x: "tokens",
    y: "accuracy",
    r,
    fill,
    stroke: hollow ? hue : "var(--panel)",
    strokeWidth: hollow ? 2 : 1,
    opacity: faint ? 0.55 : 1,
  });
}

function joinedPoints({ joined, points }: PlaneChart): readonly PlanePoint[] {
  const solid = points.filter(({ faint, hollow }) => !faint && !(joined === "frontier" && hollow));
  if (joined === "none") return [];
  return joined === "path" ? solid : frontierOf(solid);
}
