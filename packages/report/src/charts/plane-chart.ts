import { formatNumber, formatPercent } from "@laconic/core/text";
import { figureOf, valuesTable } from "./figure.ts";
import type { PlaneChart } from "./plane.ts";
import type { Plot, SvgTexts } from "./plot-library.ts";
import { drawPlane } from "./plane-drawing.ts";

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
