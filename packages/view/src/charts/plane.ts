import { colourStyle } from "@laconic/core/design";
import { formatNumber, formatPercent } from "@laconic/core/text";
import {
  axes,
  colour,
  draw,
  linePath,
  px,
  type Drawing,
  scaleOf,
  tickFormat,
  type Scale,
  fitTo,
  fontSize,
  lineHeight,
  textWidth,
  markupOf,
  linesOf,
} from "./drawing.ts";

interface PlanePosition {
  readonly tokens: number;
  /** 0 to 1. */
  readonly accuracy: number;
}

export interface PlanePoint extends PlanePosition {
  /** 95 % interval of the accuracy. */
  readonly interval?: readonly [low: number, high: number] | null;
  readonly color: number;
  /** Ring: earlier state. Faint: one of several seeds. */
  readonly look?: "ring" | "faint";
  readonly label?: string;
  readonly name: string;
}

interface PlaneLine {
  readonly positions: readonly PlanePosition[];
  readonly color: number;
  readonly look: "path" | "faint" | "frontier";
}

export interface PlaneChart {
  readonly title: string;
  /** Sample of each point, such as `3 seeds`; empty if unknown. */
  readonly n: string;
  readonly points: readonly PlanePoint[];
  readonly lines: readonly PlaneLine[];
  readonly budget: number | null;
  readonly isLog?: boolean;
  readonly legend: readonly { readonly color: number; readonly isRing?: boolean; readonly text: string }[];
}

export function planeDrawing(chart: PlaneChart, width: number, height: number): Drawing {
  const attributes = { width, height, "font-size": fontSize, role: "img", "aria-label": planeInWords(chart) };
  return draw("svg", attributes, planeMarks(chart, { left: 0, right: width, top: 0, bottom: height }));
}

export function figuresText({ accuracy, tokens }: PlanePosition): string {
  return `${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens`;
}

interface PlaneScales {
  readonly x: Scale;
  readonly y: Scale;
  readonly frame: Box;
}

function planeMarks(chart: PlaneChart, box: Box): Drawing {
  const frame = { left: box.left + 60, right: box.right - 26, top: box.top + 38, bottom: box.bottom - 48 };
  const scales = { ...scalesOf(chart, frame), frame };
  const { x, y } = scales;
  const { points, lines, budget, n } = chart;
  return draw(
    "g",
    {},
    axes({
      x,
      y,
      formatX: chart.isLog ? formatNumber : tickFormat(x.ticks, ""),
      formatY: tickFormat(y.ticks, "share"),
      xLabel: "tokens per episode",
      yLabel: n === "" ? "accuracy" : `accuracy, n = ${n}`,
    }),
    budget === null
      ? null
      : upright(px(x.position(budget)), frame.top, frame.bottom, { stroke: "var(--soft)", "stroke-dasharray": "5 4" }),
    lines.map((line) => lineDrawing(line, scales)),
    points.map((point) => pointDrawing(point, scales)),
    labels(chart, scales),
  );
}

function scalesOf(chart: PlaneChart, frame: Box): Pick<PlaneScales, "x" | "y"> {
  const { points, lines, budget, isLog = false } = chart;
  const positions = [...points, ...lines.flatMap((line) => line.positions)];
  const tokens = [...positions.map((position) => position.tokens), ...(budget === null ? [] : [budget])];
  const max = Math.max(...tokens);
  const min = Math.max(0.1, Math.min(...tokens.filter((token) => token > 0)));
  const bounds = [...positions.map(({ accuracy }) => accuracy), ...points.flatMap(({ interval }) => interval ?? [])];
  const [low, high] = [Math.max(0, Math.min(...bounds) - 0.03), Math.min(1, Math.max(...bounds) + 0.03)];
  const [across, down] = [frame.right - frame.left, frame.bottom - frame.top];
  return {
    x: scaleOf({
      domain: isLog ? [min / 1.3, Math.max(2 * min, 1.3 * max)] : [0, max > 0 ? 1.08 * max : 1],
      range: [frame.left, frame.right],
      maxTicks: Math.max(2, Math.floor(across / 70)),
      isLog,
    }),
    y: scaleOf({ domain: [low, high], range: [frame.bottom, frame.top], maxTicks: Math.max(2, Math.floor(down / 45)) }),
  };
}

function lineDrawing({ positions, color, look }: PlaneLine, { x, y, frame }: PlaneScales): Drawing {
  const points = positions.map(({ tokens, accuracy }) => [x.position(tokens), y.position(accuracy)] as const);
  const isFrontier = look === "frontier";
  return draw("path", {
    d: isFrontier ? stairs(points, frame.right) : linePath(points),
    fill: "none",
    stroke: isFrontier ? "var(--edge)" : colour(color),
    "stroke-width": look === "path" ? 2 : 1.5,
    ...(isFrontier && { "stroke-dasharray": "6 4" }),
    opacity: look === "faint" ? 0.35 : 1,
  });
}

function upright(x: number, y1: number, y2: number, look: Readonly<Record<string, string | number>>): Drawing {
  return draw("line", { x1: x, x2: x, y1, y2, ...look });
}

function pointDrawing(point: PlanePoint, { x, y }: PlaneScales): Drawing {
  const { tokens, accuracy, interval, color, look, name, label } = point;
  const [cx, hue] = [px(x.position(tokens)), colour(color)];
  const isRing = look === "ring";
  const bar = { stroke: hue, "stroke-width": 2, opacity: 0.6 };
  return draw(
    "g",
    { opacity: look === "faint" ? 0.55 : 1 },
    draw("title", {}, `${name}: ${formatPercent(accuracy)} at ${formatNumber(tokens)} tokens`),
    interval ? upright(cx, px(y.position(interval[0])), px(y.position(interval[1])), bar) : null,
    draw("circle", {
      cx,
      cy: px(y.position(accuracy)),
      r: look === "faint" ? 3.5 : label === undefined ? 5 : 6,
      fill: isRing ? "var(--panel)" : hue,
      stroke: isRing ? hue : "var(--panel)",
      "stroke-width": isRing ? 2 : 1,
    }),
  );
}

function labels(chart: PlaneChart, scales: PlaneScales): Drawing {
  const { x, y, frame } = scales;
  const { points, budget } = chart;
  const texts = points.flatMap(({ tokens, accuracy, label }) =>
    label === undefined
      ? []
      : [{ x: x.position(tokens), y: y.position(accuracy), text: fitTo(label, 300), isBold: true }],
  );
  if (budget !== null)
    texts.push({ x: x.position(budget), y: frame.bottom - 20, text: `budget ${formatNumber(budget)}`, isBold: false });
  const sized = texts.map((label) => ({ ...label, width: textWidth(label.text) + 8, height: lineHeight + 2 }));
  const bounds = { left: frame.left + 2, right: frame.right + 22, top: frame.top - 6, bottom: frame.bottom - 2 };
  const placed = placeLabels(sized, obstaclesOf(chart, scales), bounds);
  const drawn = sized.map(({ text, isBold, width, ...point }, i) => {
    const location = placed[i];
    if (!location) return null;
    const leader = draw("line", {
      x1: px(point.x),
      y1: px(point.y),
      x2: px(clamp(point.x, location.x - width / 2, location.x + width / 2)),
      y2: px(clamp(point.y, location.y - lineHeight / 2, location.y + lineHeight / 2)),
      stroke: "var(--soft)",
      opacity: 0.8,
    });
    const look = { fill: isBold ? "var(--ink)" : "var(--soft)", "font-weight": isBold ? 600 : 400 };
    return draw(
      "g",
      {},
      location.leader && isBold ? leader : null,
      draw("text", { x: px(location.x), y: px(location.y + 4), ...look }, text),
    );
  });
  return draw("g", { "text-anchor": "middle" }, drawn);
}

function obstaclesOf({ points, lines, budget }: PlaneChart, { x, y, frame }: PlaneScales): Box[] {
  const column = (tokens: number, top: number, bottom: number): Box => {
    const middle = x.position(tokens);
    return { left: middle - 3, right: middle + 3, top, bottom };
  };
  return [
    ...points.map(({ tokens, accuracy }) => boxAround(x.position(tokens), y.position(accuracy), 16, 16)),
    ...points.flatMap(({ tokens, interval }) =>
      interval ? [column(tokens, y.position(interval[1]), y.position(interval[0]))] : [],
    ),
    ...lines
      .filter(({ look }) => look === "path")
      .flatMap(({ positions }) =>
        boxesAlong(positions.map(({ tokens, accuracy }) => [x.position(tokens), y.position(accuracy)])),
      ),
    ...(budget === null ? [] : [column(budget, frame.top, frame.bottom)]),
  ];
}

/** Stairs: horizontal to the next point's tokens, then up; the last reaches the right edge. */
function stairs(points: readonly (readonly [x: number, y: number])[], end: number): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  return `M${px(first[0])} ${px(first[1])}${rest.map(([x, y]) => `H${px(x)}V${px(y)}`).join("")}H${end}`;
}

function planeInWords({ title, points }: PlaneChart): string {
  const figures = points
    .filter(({ look }) => look !== "faint")
    .slice(0, 12)
    .map((point) => `${point.name}: ${figuresText(point)}`);
  return `${title}. ${figures.join("; ")}`;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface LabelText extends Point {
  readonly width: number;
  readonly height: number;
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

const directions = [
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
  [1, -1],
  [1, 1],
  [-1, -1],
  [-1, 1],
] as const;
const distances = [9, 18, 30, 46, 66, 90] as const;

/**
 * Places labels near their points, off obstacles and the edge; null without room, so the legend must name it.
 * @returns with a `leader` line to its point, if far away or closer to another
 */
export function placeLabels(
  texts: readonly LabelText[],
  obstacles: readonly Box[],
  bounds: Box,
): readonly ((Point & { readonly leader: boolean }) | null)[] {
  const taken = [...obstacles];
  return texts.map((label) => {
    for (const distance of distances)
      for (const [right, down] of directions) {
        const x = label.x + right * (distance + label.width / 2);
        const y = label.y + down * (distance + label.height / 2);
        const box = boxAround(x, y, label.width, label.height);
        if (!inside(box, bounds) || taken.some((other) => overlap(box, other))) continue;
        taken.push(box);
        const gap = distanceTo(box, label);
        const nearer = texts.some((other) => other !== label && distanceTo(box, other) < gap);
        return { x, y, leader: nearer || distance > distances[0] };
      }
    return null;
  });
}

function distanceTo({ left, right, top, bottom }: Box, { x, y }: Point): number {
  return Math.hypot(Math.max(left - x, x - right, 0), Math.max(top - y, y - bottom, 0));
}

export function boxAround(x: number, y: number, width: number, height: number): Box {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

function boxesAlong(points: readonly (readonly [x: number, y: number])[]): Box[] {
  return points.flatMap(([x, y], i) => {
    const [fromX, fromY] = points[i - 1] ?? [x, y];
    const pieces = Math.max(1, Math.ceil(Math.hypot(x - fromX, y - fromY) / 6));
    return Array.from({ length: pieces }, (_, k) => {
      const share = (k + 1) / pieces;
      return boxAround(fromX + share * (x - fromX), fromY + share * (y - fromY), 6, 6);
    });
  });
}

function inside(box: Box, bounds: Box): boolean {
  return box.left >= bounds.left && box.right <= bounds.right && box.top >= bounds.top && box.bottom <= bounds.bottom;
}

const sizes = { wide: { width: 900, height: 380 }, narrow: { width: 330, height: 310 } } as const;
const rowHeight = 22;
const titleSize: number = fontSize + 2;

/** SVG file for light and dark mode; `narrow` is for phones. */
export function planeFile(chart: PlaneChart, size: keyof typeof sizes): string {
  const { width, height } = sizes[size];
  const room = width - 30;
  const texts = chart.legend.map(({ text }) => fitTo(text, room - 30));
  const widest = 36 + Math.max(0, ...texts.map((text) => textWidth(text)));
  const columns = Math.max(1, Math.min(3, Math.floor(room / widest)));
  const title = linesOf(chart.title, room, titleSize);
  const top = 12 + 19 * title.length;
  const bottom = top + height;
  const rows = Math.ceil(texts.length / columns);
  const file = draw(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${width} ${bottom + (rows === 0 ? 0 : rows * rowHeight + 12)}`,
      "font-family": "system-ui,sans-serif",
      "font-size": fontSize,
      role: "img",
      "aria-labelledby": "plane-t plane-d",
    },
    draw("title", { id: "plane-t" }, chart.title),
    draw("desc", { id: "plane-d" }, planeInWords(chart)),
    draw("style", {}, colourStyle()),
    draw("rect", { width: "100%", height: "100%", rx: 10, fill: "var(--panel)" }),
    title.map((line, i) =>
      draw("text", { x: 14, y: 24 + 19 * i, fill: "var(--ink)", "font-weight": 600, "font-size": titleSize }, line),
    ),
    planeMarks(chart, { left: 0, right: width, top, bottom }),
    chart.legend.map(({ color, isRing }, i) => {
      const [cx, cy] = [
        22 + (i % columns) * Math.floor(room / columns),
        bottom + 8 + Math.floor(i / columns) * rowHeight,
      ];
      const hue = colour(color);
      return draw(
        "g",
        {},
        draw("circle", { cx, cy, r: 5, "stroke-width": 2, stroke: hue, fill: isRing ? "var(--panel)" : hue }),
        draw("text", { x: cx + 13, y: cy + 4, fill: "var(--ink)" }, texts[i] ?? ""),
      );
    }),
  );
  return `${markupOf(file)}\n`;
}
