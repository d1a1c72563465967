import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { formatNumber } from "../cli/format.ts";
import { escapeHtml } from "@laconic/evaluation";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  /** Which of the theme's categorical colours, from 1. */
  readonly color: 1 | 2 | 3 | 4 | 5;
  /** Draw single values beside a smoothed line more faintly. */
  readonly faint?: boolean;
}

export interface LineChart {
  readonly title: string;
  /** One sentence: what is drawn, and in which unit. */
  readonly caption: string;
  readonly xLabel: string;
  readonly series: readonly Series[];
  /** Horizontal lines that the curves are read against, for example a budget. */
  readonly references?: readonly { readonly y: number; readonly label: string }[];
  /** Fixed ends of the y axis; the data decides where absent. */
  readonly yDomain?: readonly [number, number];
}

const size = { width: 460, height: 250, left: 48, right: 14, top: 12, bottom: 34 };

/** A line chart as a self-contained `<figure>`; colours come from the page's theme. */
export function renderLineChart(chart: LineChart): string {
  const finite = chart.series.map((series) => ({
    ...series,
    points: series.points.filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y)),
  }));
  const all = finite.flatMap((series) => series.points);
  const heading = `<figcaption><strong>${escapeHtml(chart.title)}</strong><span>${escapeHtml(chart.caption)}</span>${legend(finite)}</figcaption>`;
  if (all.length === 0) return `<figure class="chart">${heading}<p class="empty">No values were recorded.</p></figure>`;

  const references = chart.references ?? [];
  const ys = [...all.map((point) => point.y), ...references.map((reference) => reference.y)];
  const xs = all.map((point) => point.x);
  const x = scaleLinear([Math.min(...xs), Math.max(...xs)], [size.left, size.width - size.right]);
  const y = scaleLinear(chart.yDomain ?? [Math.min(0, ...ys), Math.max(...ys, 1e-9)], [
    size.height - size.bottom,
    size.top,
  ]);
  if (!chart.yDomain) y.nice(5);

  const path = line<Point>(
    (point) => round(x(point.x)),
    (point) => round(y(point.y)),
  );
  const grid = y
    .ticks(5)
    .map((tick) => {
      const at = round(y(tick));
      return `<line class="grid" x1="${size.left}" x2="${size.width - size.right}" y1="${at}" y2="${at}"/><text class="tick" x="${size.left - 6}" y="${at + 4}" text-anchor="end">${formatNumber(tick)}</text>`;
    })
    .join("");
  const xTicks = x
    .ticks(6)
    .map(
      (tick) =>
        `<text class="tick" x="${round(x(tick))}" y="${size.height - size.bottom + 16}" text-anchor="middle">${formatNumber(tick)}</text>`,
    )
    .join("");
  const marks = references
    .map((reference) => {
      const at = round(y(reference.y));
      return `<line class="reference" x1="${size.left}" x2="${size.width - size.right}" y1="${at}" y2="${at}"/><text class="note" x="${size.width - size.right}" y="${at - 5}" text-anchor="end">${escapeHtml(reference.label)}</text>`;
    })
    .join("");
  const curves = finite
    .filter((series) => series.points.length > 0)
    .map((series) => {
      const last = series.points.at(-1) as Point;
      const label = `${escapeHtml(series.name)}: ${formatNumber(last.y)} at ${escapeHtml(chart.xLabel)} ${formatNumber(last.x)}`;
      const end = series.faint
        ? ""
        : `<circle class="end c${series.color}" cx="${round(x(last.x))}" cy="${round(y(last.y))}" r="3.5"><title>${label}</title></circle>`;
      return `<path class="curve c${series.color}${series.faint ? " faint" : ""}" d="${path([...series.points]) ?? ""}"><title>${label}</title></path>${end}`;
    })
    .join("");
  return `<figure class="chart">${heading}<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escapeHtml(`${chart.title}. ${chart.caption}`)}">${grid}${xTicks}<text class="note" x="${size.width - size.right}" y="${size.height - 4}" text-anchor="end">${escapeHtml(chart.xLabel)}</text>${marks}${curves}</svg></figure>`;
}

/** Trailing mean over at most `window` points: a curve a reader can follow. */
export function smooth(points: readonly Point[], window: number): Point[] {
  return points.map((point, i) => {
    const slice = points.slice(Math.max(0, i - window + 1), i + 1);
    return { x: point.x, y: slice.reduce((sum, each) => sum + each.y, 0) / slice.length };
  });
}

function legend(series: readonly Series[]): string {
  const named = series.filter((each) => !each.faint);
  if (named.length < 2) return "";
  const items = named.map((each) => `<li><i class="key c${each.color}"></i>${escapeHtml(each.name)}</li>`).join("");
  return `<ul class="legend">${items}</ul>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
