import { colourStyle } from "@laconic/core/design";
import { colour, draw, markupOf } from "./drawing.ts";
import { planeInWords, planeMarks, type PlaneChart } from "./plane.ts";
import { fitTo, fontSize, linesOf, textWidth } from "./text-size.ts";

const sizes = { wide: { width: 900, height: 380 }, narrow: { width: 330, height: 310 } } as const;
const rowHeight = 22;
const titleSize: number = fontSize + 2;

/** SVG file with title and legend, for light and dark mode; `narrow` is for phones. */
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
