import { loadPlot } from "../../packages/report/src/charts/plot-library.ts";
import { colourStyle } from "../../packages/core/src/design/index.ts";
import type { Dose } from "./dose-response.ts";

const [width, height, most] = [720, 430, 36];

/** Tokens spent against tokens told, before and after training, as an SVG file for light and dark. */
export async function doseChart(before: readonly Dose[], after: readonly Dose[], seeds: number): Promise<string> {
  const plot = await loadPlot();
  const title = `Tokens spent against tokens told, ${seeds} ${seeds === 1 ? "seed" : "seeds"}: means with 95 % intervals`;
  const soft = { fill: "var(--soft)" };
  const sides = [
    { name: "before training", doses: before, color: "var(--soft)", dash: "2 4" },
    { name: "after", doses: after, color: "var(--c1)", dash: "" },
  ];
  const description = after
    .map(
      ({ budget, tokens, group }) =>
        `${budget} told${group === "known" ? "" : " (never learned on)"}: ${tokens.toFixed(1)}`,
    )
    .join("; ");
  const style = `<title>${title}</title><desc>${description}</desc><style>${colourStyle()}</style><rect width="100%" height="100%" rx="10" fill="var(--panel)"/>`;
  const legend = (text: string, row: number, fill: string) =>
    plot.text([text], { frameAnchor: "top-left", dx: 12, dy: 12 + 20 * row, textAnchor: "start", fill });
  const svg = plot.svg(
    {
      width,
      height,
      marginLeft: 52,
      marginRight: 24,
      marginTop: 52,
      marginBottom: 50,
      x: { domain: [0, most], axis: null },
      y: { domain: [0, most], axis: null },
      marks: [
        plot.gridY([0, 10, 20, 30], { stroke: "var(--line)", strokeOpacity: 1 }),
        plot.axisY([0, 10, 20, 30], { tickSize: 0, label: null, ...soft }),
        plot.axisX([0, 6, 10, 14, 20, 28], { tickSize: 0, label: null, ...soft }),
        plot.text([title], { frameAnchor: "top-left", dx: -36, dy: -34, fill: "var(--ink)", fontWeight: 600 }),
        plot.text(["tokens spent"], { frameAnchor: "top-left", dx: -36, dy: -14, ...soft }),
        plot.text(["tokens told"], { frameAnchor: "bottom-right", dy: 40, ...soft }),
        plot.line(
          [
            [0, 0],
            [most, most],
          ],
          { stroke: "var(--soft)", strokeDasharray: "6 4" },
        ),
        ...sides.flatMap(({ doses, color, dash }) => [
          plot.line(doses, { x: "budget", y: "tokens", stroke: color, strokeOpacity: 0.6, strokeDasharray: dash }),
          plot.ruleX(doses, {
            x: "budget",
            y1: (each: Dose) => each.tokens - each.half,
            y2: (each: Dose) => each.tokens + each.half,
            stroke: color,
            strokeWidth: 2,
          }),
          plot.dot(doses, {
            x: "budget",
            y: "tokens",
            r: 5,
            stroke: color,
            strokeWidth: 2,
            fill: (each: Dose) => (each.group === "known" ? color : "var(--panel)"),
          }),
        ]),
        legend("● learned on   ○ kept back: 6, 10, 14, 20, 28", 0, "var(--ink)"),
        legend("blue: after training", 1, "var(--c1)"),
        legend("dotted: before training, after lessons", 2, "var(--soft)"),
        legend("dashed: as told", 3, "var(--soft)"),
      ],
    },
    {
      attributes: `xmlns="http://www.w3.org/2000/svg" font-family="system-ui,sans-serif" role="img"`,
      before: style,
    },
  );
  return `${svg}\n`;
}
