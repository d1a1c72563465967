import type uPlot from "uplot";

/** For `points.show`: a value that no line leads to is drawn as a point. */
export function isAlone(plot: uPlot, series: number): boolean {
  return Array.from(plot.data[series] ?? []).filter((value) => value !== null).length === 1;
}
