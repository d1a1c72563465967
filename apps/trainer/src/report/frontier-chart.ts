import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { formatNumber, formatPercent } from "../cli/format.ts";
import { theme } from "./theme.ts";

/** One evaluation: a place in the accuracy-token plane. */
export interface FrontierPoint {
  readonly step: number;
  /** Mean tokens per episode. */
  readonly tokens: number;
  readonly accuracy: number;
  /** 95 % interval of the accuracy. */
  readonly interval: readonly [number, number];
}

const size = { width: 940, height: 360, left: 56, right: 24, top: 26, bottom: 44 };

/** The accuracy-token plane as a figure of the report. */
export function renderFrontier(points: readonly FrontierPoint[], budget: number | null): string {
  const heading = `<figcaption><strong>Accuracy against tokens</strong><span>Each point is an evaluation on held-out problems; bars are 95 % intervals. Better is up and to the left.</span></figcaption>`;
  const plane = frontierPlane(points, budget);
  if (plane === null)
    return `<figure class="chart wide">${heading}<p class="empty">No evaluation was recorded.</p></figure>`;
  return `<figure class="chart wide">${heading}<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="Accuracy against tokens per episode">${plane}</svg></figure>`;
}

/** The same plane as an SVG file of its own, for a README. Null when nothing was evaluated. */
export function renderFrontierFile(points: readonly FrontierPoint[], budget: number | null): string | null {
  const plane = frontierPlane(points, budget);
  if (plane === null) return null;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="system-ui,sans-serif"><style>${theme}</style><rect width="100%" height="100%" fill="var(--panel)"/>${plane}</svg>\n`;
}

/** Where the team started, the path it took, where it ended. Better is up and left. */
function frontierPlane(points: readonly FrontierPoint[], budget: number | null): string | null {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  const x = scaleLinear(
    [0, Math.max(...points.map((p) => p.tokens), budget ?? 0) * 1.05],
    [size.left, size.width - size.right],
  ).nice();
  const low = Math.min(...points.map((p) => p.interval[0]));
  const y = scaleLinear([Math.max(0, Math.floor(low * 10 - 0.5) / 10), 1], [size.height - size.bottom, size.top]);
  const px = (value: number): string => x(value).toFixed(1);
  const py = (value: number): string => y(value).toFixed(1);

  const yTicks = y
    .ticks(6)
    .map(
      (tick) =>
        `<line class="grid" x1="${size.left}" x2="${size.width - size.right}" y1="${py(tick)}" y2="${py(tick)}"/><text class="tick" x="${size.left - 8}" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end">${Math.round(tick * 100)} %</text>`,
    )
    .join("");
  const xTicks = x
    .ticks(10)
    .map(
      (tick) =>
        `<text class="tick" x="${px(tick)}" y="${size.height - size.bottom + 18}" text-anchor="middle">${formatNumber(tick)}</text>`,
    )
    .join("");
  const budgetMark =
    budget === null
      ? ""
      : `<line class="reference" x1="${px(budget)}" x2="${px(budget)}" y1="${size.top}" y2="${size.height - size.bottom}"/><text class="note" x="${(x(budget) + 6).toFixed(1)}" y="${size.height - size.bottom - 8}">budget ${formatNumber(budget)}</text>`;
  const path = line<FrontierPoint>(
    (p) => x(p.tokens),
    (p) => y(p.accuracy),
  )([...points]);
  const dots = points
    .map((p) => {
      const label = `step ${p.step}: ${formatPercent(p.accuracy)} with ${formatNumber(p.tokens)} tokens`;
      return `<line class="bar" x1="${px(p.tokens)}" x2="${px(p.tokens)}" y1="${py(p.interval[0])}" y2="${py(p.interval[1])}"/><circle class="dot" cx="${px(p.tokens)}" cy="${py(p.accuracy)}" r="4"><title>${label}</title></circle>`;
    })
    .join("");
  const ends = [
    { name: "start", point: first, className: "c2", anchor: "end", dx: -12 },
    { name: "end", point: last, className: "c3", anchor: "start", dx: 12 },
  ]
    .map(
      ({ name, point, className, anchor, dx }) =>
        `<circle class="end ${className}" cx="${px(point.tokens)}" cy="${py(point.accuracy)}" r="7"/><text class="label" text-anchor="${anchor}" x="${(x(point.tokens) + dx).toFixed(1)}" y="${(y(point.accuracy) + 22).toFixed(1)}">${name}: ${formatPercent(point.accuracy)}, ${formatNumber(point.tokens)} tokens</text>`,
    )
    .join("");
  return `${yTicks}${xTicks}<text class="note" x="${size.width - size.right}" y="${size.height - 6}" text-anchor="end">tokens per episode</text>${budgetMark}<path class="curve c1" d="${path ?? ""}"/>${dots}${ends}`;
}
