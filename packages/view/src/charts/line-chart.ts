import type { Markish } from "@observablehq/plot";
import { counted, formatCells, formatNumber, formatPercent } from "@laconic/core/text";
import { figureOf, valuesTable, type LegendItem, type Size } from "./figure.ts";
import type { Plot } from "./plot-library.ts";
import { downsample, hasValue, type Point, type Series } from "./series.ts";
import { textWidth } from "./text-size.ts";
import { roundDomain, roundTicks, tickFormat } from "./ticks.ts";

export interface LineChart {
  readonly title: string;
  /** One sentence: what is drawn. */
  readonly caption: string;
  /** `%` for shares from 0 to 1; otherwise in words, such as `tokens per episode`. */
  readonly unit: string;
  /** Stands at the axis: what is counted, with its unit. */
  readonly yLabel: string;
  readonly xLabel: string;
  readonly series: readonly Series[];
  /** Horizontal lines that the curves are read against, for example a budget. */
  readonly references?: readonly { readonly y: number; readonly label: string }[];
  /** Vertical lines: from where on something else held. */
  readonly changes?: readonly { readonly x: number; readonly label: string }[];
  /** Fixed ends of the y axis; the data decides where absent. */
  readonly yDomain?: readonly [number, number];
}

/** The same chart for a page with room for two side by side, and for a phone: text is as large in both. */
const sizes = { wide: { width: 440, height: 260 }, narrow: { width: 330, height: 230 } } as const;
/** Strokes differ besides colours. */
const dashes = ["", "7 3", "2 3", "9 3 2 3", "4 2"] as const;
/** Smaller is rounding. */
const noise = 1e-12;
/** Changes that a legend names; the page lists all. */
const mostNamed = 4;

/** A line chart as a `<figure>`; a sentence where nothing was recorded, or all of it is zero. */
export function renderLineChart(plot: Plot, chart: LineChart, id: string): string {
  const series = chart.series
    .map((each) => ({ ...each, points: each.points.filter(({ x }) => Number.isFinite(x)) }))
    .filter(({ points }) => points.some(hasValue));
  const all = series.flatMap(({ points }) => points.filter(hasValue));
  const count = new Set(all.map(({ x }) => x)).size;
  const caption = `${chart.caption} n = ${counted(count, chart.xLabel)}.`;
  const figure = { id, title: chart.title, caption, level: 3 as const };
  if (all.length === 0) return figureOf({ ...figure, caption: chart.caption, said: "No values were recorded." });
  if (series.every((each) => isZero(each))) {
    const where = count === 1 ? `the one ${chart.xLabel}` : `all ${counted(count, chart.xLabel)}`;
    return figureOf({ ...figure, said: `Zero in ${where}, so there is nothing to draw.` });
  }
  // What is always zero would lie on the axis, one on the other: the legend says it.
  const shown = series.filter((each) => !isZero(each)).map((each) => ({ ...each, points: downsample(each.points) }));
  return figureOf({
    ...figure,
    legend: legendOf(chart, series),
    description: descriptionOf(chart, series),
    draw: (size, texts) => plot.svg(optionsOf(plot, chart, shown, sizes[size]), texts),
    table: tableOf(chart, series),
  });
}

function optionsOf(
  plot: Plot,
  { yDomain, unit, yLabel, xLabel, references = [], changes = [] }: LineChart,
  series: readonly Series[],
  { width, height }: Size,
): Parameters<Plot["svg"]>[0] {
  const all = series.flatMap(({ points }) => points);
  const [xs, ys] = [all.map(({ x }) => x), [...all.filter(hasValue), ...references].map(({ y }) => y)];
  const [low, high] = yDomain ?? roundDomain(least([0, ...ys]), most([0, ...ys]), 4);
  const yTicks = roundTicks(low, high, 4);
  const yText = tickFormat(yTicks, unit);
  const [first, last] = [least(xs), most(xs)];
  const [from, to] = first === last ? [first - 1, last + 1] : [first, last];
  const xTicks = roundTicks(from, to, width / 70, 1).filter((tick) => tick >= 0);
  const marginLeft = Math.ceil(12 + Math.max(...yTicks.map((tick) => textWidth(yText(tick)))));
  const frame = { marginLeft, marginRight: 24, marginTop: 34, marginBottom: 44 };
  const marks: Markish[] = [
    plot.gridY(yTicks, { stroke: "var(--line)", strokeOpacity: 1 }),
    plot.axisY(yTicks, { tickSize: 0, tickPadding: 8, label: null, tickFormat: yText, fill: "var(--soft)" }),
    plot.axisX(xTicks, { tickSize: 0, label: null, tickFormat: tickFormat(xTicks, ""), fill: "var(--soft)" }),
    plot.text([yLabel], { frameAnchor: "top-left", dx: 4 - marginLeft, dy: -26, fill: "var(--soft)" }),
    plot.text([xLabel], { frameAnchor: "bottom-right", dy: 40, fill: "var(--soft)" }),
    ...changes.map(({ x }) => plot.ruleX([x], { stroke: "var(--soft)", strokeDasharray: "2 3" })),
    ...references.map(({ y }) => plot.ruleY([y], { stroke: "var(--soft)", strokeDasharray: "5 4" })),
    ...series.map(({ points, color, faint }, i) =>
      plot.line(points, {
        x: "x",
        y: "y",
        stroke: `var(--c${color})`,
        ...(faint ? { strokeWidth: 1, strokeOpacity: 0.35 } : { strokeWidth: 2, strokeDasharray: dashOf(series, i) }),
      }),
    ),
    ...series
      .filter(({ faint }) => !faint)
      .map(({ points, color }) =>
        plot.dot(
          points.filter((_, at) => isLone(points, at)),
          { x: "x", y: "y", r: 3.5, fill: `var(--c${color})`, stroke: "var(--panel)" },
        ),
      ),
  ];
  return {
    width,
    height,
    ...frame,
    marks,
    x: { domain: [from, to], range: [marginLeft, width - frame.marginRight], axis: null },
    y: { domain: [low, high], range: [height - frame.marginBottom, frame.marginTop], axis: null },
  };
}

/** Values that get a dot: the last one, and those between two gaps, to which no line leads. */
function isLone(points: readonly Point[], at: number): boolean {
  const [before, point, after] = [points[at - 1], points[at] as Point, points[at + 1]];
  if (!hasValue(point)) return false;
  const isAlone = !(before && hasValue(before)) && !(after && hasValue(after));
  return isAlone || !points.slice(at + 1).some(hasValue);
}

function isZero({ points }: Series): boolean {
  return points.every((point) => !hasValue(point) || Math.abs(point.y) < noise);
}

function dashOf(series: readonly Series[], i: number): string {
  const named = series.filter(({ faint }) => !faint);
  return dashes[Math.max(0, named.indexOf(series[i] as Series)) % dashes.length] as string;
}

function legendOf({ references = [], changes = [], unit, xLabel }: LineChart, series: readonly Series[]): LegendItem[] {
  const named = series.filter(({ faint }) => !faint);
  const zero = named.filter((each) => isZero(each)).map(({ name }) => name);
  return [
    ...named
      .filter((each) => !isZero(each))
      .map(({ name, points, color }, i) => ({
        key: { color, dash: dashes[i % dashes.length] as string },
        text: `${name}: ${endText(points, unit, xLabel)}`,
      })),
    ...references.map(({ label }) => ({ key: { color: 0, dash: "5 4" }, text: label })),
    ...changes.slice(0, mostNamed).map(({ label }) => ({ key: { color: 0, dash: "2 3" }, text: label })),
    ...(changes.length > mostNamed
      ? [{ key: { color: 0, dash: "2 3" }, text: `and ${changes.length - mostNamed} more changes` }]
      : []),
    ...(zero.length === 0 ? [] : [{ key: { color: 0, none: true }, text: `zero throughout: ${zero.join(", ")}` }]),
  ];
}

function descriptionOf({ caption, changes = [], xLabel, unit }: LineChart, series: readonly Series[]): string {
  const said = series
    .filter(({ faint }) => !faint)
    .map(({ name, points }) => {
      const [first, last] = [points.find(hasValue) as Point, points.findLast(hasValue) as Point];
      return `${name} from ${valueText(first.y, unit)} at ${xLabel} ${first.x} to ${valueText(last.y, unit)} at ${xLabel} ${last.x}${gapText(points, xLabel)}`;
    });
  const changed =
    changes.length === 0
      ? ""
      : ` ${changes
          .slice(0, 20)
          .map(({ label }) => label)
          .join(". ")}.`;
  return `${caption} ${said.join("; ")}.${changed}`;
}

function tableOf({ xLabel, yLabel, unit }: LineChart, series: readonly Series[]): string {
  const steps = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].toSorted((a, b) => a - b);
  const stride = Math.ceil(steps.length / 20);
  const some = steps.filter((_, i) => i % stride === 0 || i === steps.length - 1);
  const columns = series.map(({ points }) => new Map(points.map(({ x, y }) => [x, y])));
  return valuesTable(
    [xLabel, ...series.map(({ name }) => name)],
    formatCells(
      some.map((step) => {
        const values = columns.map((column) => column.get(step));
        return [
          String(step),
          ...values.map((value) =>
            value === undefined || !Number.isFinite(value) ? "none" : unit === "%" ? formatPercent(value) : value,
          ),
        ];
      }),
    ),
    `${unit === "%" ? "Per cent" : `In ${yLabel}`}${stride === 1 ? "" : `; every ${stride}th ${xLabel}, and the last`}.`,
  );
}

/** `0.9 at the end`; where the line ends before: `0.9 at step 12, 3 steps without a value`. */
function endText(points: readonly Point[], unit: string, xLabel: string): string {
  const last = points.findLast(hasValue) as Point;
  const place = last === points.at(-1) ? "the end" : `${xLabel} ${last.x}`;
  return `${valueText(last.y, unit)} at ${place}${gapText(points, xLabel)}`;
}

function gapText(points: readonly Point[], xLabel: string): string {
  const gaps = points.filter((point) => !hasValue(point)).length;
  return gaps === 0 ? "" : `, ${counted(gaps, xLabel)} without a value`;
}

function valueText(value: number, unit: string, suffix = unit): string {
  if (!Number.isFinite(value)) return "none";
  return unit === "%" ? formatPercent(value) : `${formatNumber(value)}${suffix === "" ? "" : ` ${suffix}`}`;
}

/** Without spreading: a long run has more values than arguments fit. */
function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

function most(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}
