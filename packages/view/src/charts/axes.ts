import { draw, px, type Drawing } from "./drawing.ts";
import type { Scale } from "./scale.ts";

interface AxesOptions {
  readonly x: Scale;
  /** The range starts at the bottom. */
  readonly y: Scale;
  readonly formatX: (value: number) => string;
  readonly formatY: (value: number) => string;
  readonly xLabel: string;
  readonly yLabel?: string;
}

/** Grid lines and tick labels. Attributes are inline, because SVG files have no style sheet. */
export function axes({ x, y, formatX, formatY, xLabel, yLabel }: AxesOptions): Drawing {
  const [left, right] = x.range;
  const [bottom, top] = y.range;
  return draw(
    "g",
    { fill: "var(--soft)" },
    y.ticks.map((value) => {
      const height = px(y.position(value));
      return draw(
        "g",
        {},
        draw("line", { stroke: "var(--line)", x1: left, x2: right, y1: height, y2: height }),
        draw("text", { x: left - 8, y: height + 4, "text-anchor": "end" }, formatY(value)),
      );
    }),
    x.ticks.map((value) => {
      const place = px(x.position(value));
      return draw(
        "g",
        {},
        draw("line", { stroke: "var(--line)", x1: place, x2: place, y1: top, y2: bottom }),
        draw("text", { x: place, y: bottom + 18, "text-anchor": "middle" }, formatX(value)),
      );
    }),
    draw("text", { x: right, y: bottom + 36, "text-anchor": "end" }, xLabel),
    yLabel === undefined ? null : draw("text", { x: left - 54, y: top - 14 }, yLabel),
  );
}
