import type uPlot from "uplot";
import type { Drawing } from "./drawing.ts";

/** How a series is drawn. */
export interface SeriesStyle {
  /** 0, 1, …: one of eight colours, then the same dashed. */
  readonly index: number;
  /** Whether it is a mean, with what lies around it. */
  readonly hasBand: boolean;
}

/** Points as the chart takes them. Null interrupts a line: a gap, or a value without a logarithm on a log scale. A line passes over undefined. */
export function plotData(
  { steps, series }: Drawing,
  styles: readonly Pick<SeriesStyle, "hasBand">[],
  isLog: boolean,
): uPlot.AlignedData {
  const clean = (points: Float64Array | null, gaps: ReadonlySet<number>): (number | null | undefined)[] =>
    Array.from(points ?? steps, (value, i) => {
      if (points === null || gaps.has(i)) return null;
      if (Number.isNaN(value)) return undefined;
      return isLog && value <= 0 ? null : value;
    });
  return [
    steps,
    ...series.flatMap(({ mean, low, high, gaps }, i) =>
      (styles[i]?.hasBand === true ? [mean, low, high] : [mean]).map((points) => clean(points, gaps)),
    ),
  ] as uPlot.AlignedData;
}
