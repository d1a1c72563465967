import type { Markish } from "@observablehq/plot";
import { formatCells, formatNumber, formatPercent } from "@laconic/core/text";
import { colourStyle } from "@laconic/core/design";
import { figureOf, svgTexts, valuesTable, type LegendItem } from "./figure.ts";
import { drawPlane, planeSizes } from "./plane-drawing.ts";
import type { PlaneAxes, PlaneChart } from "./plane.ts";
import type { Plot, SvgTexts } from "./plot-library.ts";
import { fitTo, fontSize, linesOf, textWidth } from "./text-size.ts";

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
      formatCells(
        points.map(({ name, accuracy, interval, tokens }) => [
          name,
          formatPercent(accuracy),
          interval === null ? "not known" : `${formatPercent(interval[0])} to ${formatPercent(interval[1])}`,
          tokens,
        ]),
      ),
      chart.remark,
    ),
  });
}

/** What a plane shows, in words. */
function planeDescription({ caption, points, xLabel }: PlaneChart): string {
  const said = points
    .filter(({ faint }) => !faint)
    .slice(0, 12)
    .map(({ name, accuracy, tokens }) => `${name}: ${formatPercent(accuracy)}, ${formatNumber(tokens)} ${xLabel}`);
  return `${caption} ${said.join("; ")}.`;
}

const row = 22;
const titleSize: number = fontSize + 2;

/** The plane as an SVG file of its own, with title and legend, for light and dark; narrow for a phone's README. */
export function planeFile(plot: Plot, chart: PlaneChart, size: "wide" | "narrow"): string {
  const room = planeSizes[size].width - 30;
  const texts = chart.legend.map(({ key, text }) => fitTo(key.mark ? `${key.mark}  ${text}` : text, room - 30));
  const widest = 36 + Math.max(0, ...texts.map((text) => textWidth(text)));
  const columns = Math.max(1, Math.min(3, Math.floor(room / widest)));
  const rows = Math.ceil(texts.length / columns);
  const title = linesOf(chart.title, room, titleSize);
  const { attributes, before } = svgTexts("plane", chart.title, planeDescription(chart));
  const style = `<style>${colourStyle()}</style><rect width="100%" height="100%" rx="10" fill="var(--panel)"/>`;
  const namespace = `xmlns="http://www.w3.org/2000/svg" font-family="system-ui,sans-serif"`;
  const svg = drawPlane(
    plot,
    chart,
    size,
    { attributes: `${namespace} ${attributes}`, before: before + style },
    {
      above: 14 + 19 * title.length,
      below: rows === 0 ? 0 : rows * row + 12,
      extra: (axes) => [
        ...title.map((line, i) =>
          plot.text([line], {
            frameAnchor: "top-left",
            dx: 14 - axes.frame.left,
            dy: 14 + 19 * i - axes.frame.top,
            fill: "var(--ink)",
            fontWeight: 600,
            fontSize: titleSize,
          }),
        ),
        ...chart.legend.flatMap(({ key }, i) =>
          legendMarks(plot, axes, key, texts[i] as string, {
            left: 22 + (i % columns) * Math.floor(room / columns),
            down: 60 + Math.floor(i / columns) * row,
          }),
        ),
      ],
    },
  );
  return `${svg}\n`;
}

function legendMarks(
  plot: Plot,
  { frame, tokensAt, accuracyAt }: PlaneAxes,
  { color, dash, hollow, mark }: LegendItem["key"],
  text: string,
  { left, down }: { readonly left: number; readonly down: number },
): Markish[] {
  const hue = color === 0 ? "var(--soft)" : `var(--c${color})`;
  const at = { frameAnchor: "bottom-left" as const, dx: left - frame.left, dy: down };
  return [
    mark === undefined
      ? plot.link([0], {
          x1: [tokensAt(left - 6)],
          x2: [tokensAt(left + 6)],
          y1: [accuracyAt(frame.bottom + down)],
          y2: [accuracyAt(frame.bottom + down)],
          stroke: hue,
          strokeWidth: 2,
          strokeDasharray: dash ?? "",
        })
      : plot.dot([0], { ...at, r: 5, strokeWidth: 2, stroke: hue, fill: hollow ? "var(--panel)" : hue }),
    plot.text([text], { ...at, dx: at.dx + 13, textAnchor: "start", lineAnchor: "middle", fill: "var(--ink)" }),
  ];
}
