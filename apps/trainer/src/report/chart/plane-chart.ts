import { formatNumber, formatPercent } from "@laconic/evaluation";
import { figureOf, valuesTable, type LegendItem } from "./figure.ts";
import type { Plot, SvgTexts } from "./plot-library.ts";
import { drawPlane } from "./plane-drawing.ts";

/** A place in the accuracy-token plane. */
export interface PlanePoint {
  readonly tokens: number;
  /** 0 to 1. */
  readonly accuracy: number;
  /** 95 % interval of the accuracy; null where none is known. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly color: number;
  /** Drawn as a ring: what came before. */
  readonly hollow?: boolean;
  /** One of several that a larger point is the mean of. */
  readonly faint?: boolean;
  /** Stands beside the point, short; the legend has the rest. */
  readonly label?: string;
  /** What the table of values calls it. */
  readonly name: string;
}

/** Accuracy against tokens. Better is up and to the left. */
export interface PlaneChart {
  readonly title: string;
  readonly caption: string;
  readonly level: 2 | 3;
  /** `tokens per episode`, `tokens per question`. */
  readonly xLabel: string;
  readonly points: readonly PlanePoint[];
  readonly legend: readonly LegendItem[];
  /** Joins the points that are neither faint nor hollow: `path` in their order, `frontier` those that no other beats. */
  readonly joined: "path" | "frontier" | "none";
  /** Tokens on a logarithmic axis. */
  readonly logarithmic: boolean;
  readonly budget: number | null;
  /** Under the table of values: what intervals are of, and of how many. */
  readonly remark: string;
}

/** The plane as a figure of a page; a sentence where nothing was measured. */
export function renderPlane(plot: Plot, chart: PlaneChart, id: string): string {
  const { title, caption, level, points } = chart;
  const figure = { id, title, caption, level, whole: true };
  if (points.length === 0) return figureOf({ ...figure, said: "No evaluation was recorded." });
  const zero = points.every(({ accuracy }) => accuracy === 0);
  return figureOf({
    ...figure,
    legend: chart.legend,
    ...(zero
      ? { said: `The accuracy is ${formatPercent(0)} at every point, so there is nothing to draw.` }
      : {
          description: planeDescription(chart),
          draw: (size: "wide" | "narrow", texts: SvgTexts) => drawPlane(plot, chart, size, texts),
        }),
    table: valuesTable(
      ["point", "accuracy", "95 % interval", chart.xLabel],
      points.map(({ name, accuracy, interval, tokens }) => [
        name,
        formatPercent(accuracy),
        interval === null ? "not known" : `${formatPercent(interval[0])} to ${formatPercent(interval[1])}`,
        formatNumber(tokens),
      ]),
      chart.remark,
    ),
  });
}

/** What a plane shows, in words. */
export function planeDescription({ caption, points, xLabel }: PlaneChart): string {
  const said = points
    .filter(({ faint }) => !faint)
    .slice(0, 12)
    .map(({ name, accuracy, tokens }) => `${name}: ${formatPercent(accuracy)}, ${formatNumber(tokens)} ${xLabel}`);
  return `${caption} ${said.join("; ")}.`;
}
