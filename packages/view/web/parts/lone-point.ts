import type uPlot from "uplot";

/** For `points.filter`: indices of values that no line leads to. They are drawn as points. */
export function lonePoints(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? [];
  const known = Array.from(values, (value, i) => (value === undefined ? -1 : i)).filter((i) => i >= 0);
  const isValue = (i: number | undefined): boolean => i !== undefined && typeof values[i] === "number";
  return known.filter((at, i) => isValue(at) && !isValue(known[i - 1]) && !isValue(known[i + 1]));
}
