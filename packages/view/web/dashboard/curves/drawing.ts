import { bandPoints, gapsIn, linePoints, type Points } from "./downsample.ts";
import { slotsOf, stepsOfSlots, type Column } from "./slots.ts";

/** What a chart wants drawn. */
export interface ChartSpec {
  readonly metric: string;
  readonly groups: readonly { readonly key: string; readonly runs: readonly string[] }[];
  /** Visible steps; null for all. */
  readonly range: readonly [low: number, high: number] | null;
  /** Points across, at most: about one a pixel. */
  readonly points: number;
  /** Weight of the past, 0 to below 1. */
  readonly smoothing: number;
}

export interface DrawnSeries {
  readonly key: string;
  readonly mean: Points;
  /** Of several seeds. */
  readonly low: Points | null;
  readonly high: Points | null;
  /** Indices of points at which the line is interrupted. */
  readonly gaps: ReadonlySet<number>;
}

/** Points that a chart can draw at once, and what they were made for. */
export interface Drawing {
  readonly steps: Float64Array;
  readonly series: readonly DrawnSeries[];
  /** First and last step of all rows. */
  readonly extent: readonly [low: number, high: number] | null;
  /** Values of the metric in all rows of all runs. */
  readonly values: number;
  /** Rows of all runs without a finite value. */
  readonly gaps: number;
}

let scratch = new Float32Array(0);

/** Smooths all rows and then samples the visible ones: what is seen does not depend on the zoom. */
export function draw(spec: ChartSpec, columnOf: (run: string, metric: string) => Column | null): Drawing {
  let [count, rows] = [0, 0];
  let first = Infinity;
  let last = -Infinity;
  const groups = spec.groups.map(({ key, runs }) => ({
    key,
    columns: runs.flatMap((run) => {
      const column = columnOf(run, spec.metric);
      if (column === null || column.steps.length === 0) return [];
      rows += column.values.length;
      for (const value of column.values) if (Number.isFinite(value)) count++;
      first = Math.min(first, column.steps[0] as number);
      last = Math.max(last, column.steps[column.steps.length - 1] as number);
      if (column.values.length > scratch.length) scratch = new Float32Array(column.values.length);
      return [column];
    }),
  }));
  const extent = first > last ? null : ([first, last] as const);
  const range = spec.range ?? extent ?? [0, 1];
  const slots = slotsOf(
    groups.flatMap(({ columns }) => columns),
    range[0],
    range[1] > range[0] ? range[1] : range[0] + 1,
    spec.points,
  );
  const valuesOf = ({ values }: Column): Float32Array => smooth(values, spec.smoothing, scratch);
  const series = groups.map(({ key, columns }) => {
    const [only] = columns;
    const points =
      only !== undefined && columns.length === 1
        ? { mean: linePoints({ ...only, values: valuesOf(only) }, slots, range), low: null, high: null }
        : bandPoints(columns, slots, range, valuesOf);
    return { key, ...points, gaps: gapsIn(points.mean, columns, slots, range) };
  });
  return { steps: stepsOfSlots(slots), series, extent, values: count, gaps: rows - count };
}

/**
 * Exponential mean of the values so far, `weight` of 0 (none) to below 1 on the past, without the pull towards zero at the beginning (the sum of weights
 * divides it out). A row without a finite value becomes NaN and does not count.
 * @param into - takes the result, at least as long as the values; memory of many columns is not asked for and thrown away with each picture
 */
export function smooth(values: Float32Array, weight: number, into: Float32Array): Float32Array {
  if (weight <= 0) return values;
  let mean = 0;
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isFinite(value)) {
      into[i] = NaN;
      continue;
    }
    mean = weight * mean + (1 - weight) * value;
    total = weight * total + (1 - weight);
    into[i] = mean / total;
  }
  return into;
}
