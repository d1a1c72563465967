import { escapeHtml, formatNumber, visibleText } from "@laconic/core/text";

export interface Drawing {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (Drawing | string)[];
}

type Child = Drawing | string | null;

export function draw(
  tag: string,
  attributes: Drawing["attributes"],
  ...children: readonly (Child | readonly Child[])[]
): Drawing {
  return { tag, attributes, children: children.flat().filter((child) => child !== null) };
}

/** Escapes text and makes hidden characters visible. */
export function markupOf({ tag, attributes, children }: Drawing): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`);
  const inside = children.map((child) => (typeof child === "string" ? escapeHtml(child) : markupOf(child)));
  return `<${tag}${written.join("")}>${inside.join("")}</${tag}>`;
}

export function px(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Path attribute `d`; non-finite points interrupt the line. */
export function linePath(points: readonly (readonly [x: number, y: number])[]): string {
  let isDrawing = false;
  return points
    .map(([x, y]) => {
      const wasDrawing = isDrawing;
      isDrawing = Number.isFinite(y);
      return isDrawing ? `${wasDrawing ? "L" : "M"}${px(x)} ${px(y)}` : "";
    })
    .join("");
}

/** Points between two gaps. */
export function lonePoints(points: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const isValue = (i: number): boolean => Number.isFinite(points[i]?.[1]);
  return points.filter((_, i) => isValue(i) && !isValue(i - 1) && !isValue(i + 1));
}

export function colour(number: number): string {
  return number === 0 ? "var(--soft)" : `var(--c${number})`;
}

/** Maps values to CSS pixels. */
export interface Scale {
  readonly ticks: readonly number[];
  readonly range: readonly [from: number, to: number];
  position(value: number): number;
  value(position: number): number;
}

interface ScaleOptions {
  readonly domain: readonly [low: number, high: number];
  readonly range: Scale["range"];
  readonly maxTicks: number;
  readonly isLog?: boolean;
}

/** Logarithmic domains are positive. */
export function scaleOf({ domain: [low, high], range, maxTicks, isLog = false }: ScaleOptions): Scale {
  const [from, to] = range;
  const forward = isLog ? Math.log10 : (value: number): number => value;
  const backward = isLog ? (value: number): number => 10 ** value : (value: number): number => value;
  const start = forward(low);
  const span = forward(high) - start || 1;
  return {
    range,
    ticks: isLog ? logTicks(low, high, maxTicks) : ticksOf(low, high, maxTicks),
    position: (value) => from + ((forward(isLog ? Math.max(low, value) : value) - start) / span) * (to - from),
    value: (position) => backward(start + ((position - from) / (to - from)) * span),
  };
}

/** Round ticks, at most `max`: multiples of 1, 2 or 5 times a power of ten. */
export function ticksOf(low: number, high: number, max: number): readonly number[] {
  if (!(high > low) || max < 1) return [low];
  const raw = (high - low) / max;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5].find((factor) => factor * power >= raw * (1 - 1e-9)) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Multiples, because sums drift (0.1 + 0.2).
  const digits = Math.min(20, Math.max(0, -Math.floor(Math.log10(step))));
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toFixed(digits)));
}

/** Positive ticks at 1, 2 and 5 times powers of ten; fewer if more than `max`. */
export function logTicks(low: number, high: number, max: number): readonly number[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, i) => 10 ** (first + i));
  const ticksWith = (factors: readonly number[]): number[] =>
    powers
      .flatMap((power) => factors.map((factor) => Number((factor * power).toPrecision(3))))
      .filter((tick) => tick >= low && tick <= high);
  return [[1, 2, 5], [1, 3], [1]].map(ticksWith).find((ticks) => ticks.length <= max) ?? ticksWith([1]);
}

/** Uses equal decimals. Unit `share` is shown in per cent. */
export function tickFormat(ticks: readonly number[], unit: string): (value: number) => string {
  const [scale, suffix] = unit === "share" ? [100, " %"] : [1, ""];
  const step = scale * Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return (value) => {
    const scaled = scale * value;
    if (Math.abs(scaled) < step * 1e-6) return `0${suffix}`;
    const text = decimals > 5 ? formatNumber(scaled) : scaled.toLocaleString("en-US", digits);
    return `${text.replace("-", "−")}${suffix}`;
  };
}

interface AxesOptions {
  readonly x: Scale;
  /** The range starts at the bottom. */
  readonly y: Scale;
  readonly formatX: (value: number) => string;
  readonly formatY: (value: number) => string;
  readonly xLabel: string;
  readonly yLabel?: string;
}

/** Grid and tick labels. Attributes are inline: SVG files have no style sheet. */
export function axes({ x, y, formatX, formatY, xLabel, yLabel }: AxesOptions): Drawing {
  const [left, right] = x.range;
  const [bottom, top] = y.range;
  return draw(
    "g",
    { fill: "var(--soft)" },
    y.ticks.map((value) => {
      const height = px(y.position(value));
      const label = draw("text", { x: left - 8, y: height + 4, "text-anchor": "end" }, formatY(value));
      return gridLine({ x1: left, x2: right, y1: height, y2: height }, label);
    }),
    x.ticks.map((value) => {
      const index = px(x.position(value));
      const label = draw("text", { x: index, y: bottom + 18, "text-anchor": "middle" }, formatX(value));
      return gridLine({ x1: index, x2: index, y1: top, y2: bottom }, label);
    }),
    draw("text", { x: right, y: bottom + 36, "text-anchor": "end" }, xLabel),
    yLabel === undefined ? null : draw("text", { x: left - 54, y: top - 14 }, yLabel),
  );
}

function gridLine(ends: Drawing["attributes"], label: Drawing): Drawing {
  return draw("g", {}, draw("line", { stroke: "var(--line)", ...ends }), label);
}

/** Text size of drawings in CSS pixels at scale 1. */
export const fontSize: number = 13;

/** Line height, including ascent and descent. */
export const lineHeight: number = Math.ceil(fontSize * 1.25);

/** Upper estimate of a line's width: the reader's font is unknown. */
export function textWidth(text: string, size: number = fontSize): number {
  let ems = 0;
  for (const character of text) ems += widthOf(character);
  return ems * size;
}

function widthOf(character: string): number {
  if (/[ .,:;|!'()ijlIft[\]]/u.test(character)) return 0.42;
  if (/[MWmw%@→×]/u.test(character)) return 0.98;
  if (character.codePointAt(0)! > 0x2e80) return 1.1;
  return /[A-Z]/u.test(character) ? 0.72 : 0.645;
}

/** Cuts a line to the width with an ellipsis; shows hidden characters. */
export function fitTo(input: string, width: number, size: number = fontSize): string {
  const text = visibleText(input);
  if (textWidth(text, size) <= width) return text;
  const characters = Array.from(text);
  while (characters.length > 1 && textWidth(`${characters.join("")}…`, size) > width) characters.pop();
  return `${characters.join("").trimEnd()}…`;
}

export function linesOf(text: string, width: number, size: number = fontSize): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/u)) {
    const longer = `${lines.at(-1) ?? ""} ${word}`.trim();
    if (lines.length > 0 && textWidth(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(fitTo(word, width, size));
  }
  return lines;
}
