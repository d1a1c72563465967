import { indexAt, partOf, rowsWithin, type Column, type Slots } from "./slots.ts";

/** Values at the points of a chart; NaN where a series has none. */
export type Points = Float64Array;

/** Mean of a group of seeds, and the lowest and highest of them. */
export interface Band {
  readonly mean: Points;
  readonly low: Points;
  readonly high: Points;
}

/** A line that keeps every peak: of each part the lowest and the highest value, in the order in which they came. */
export function linePoints(column: Column, slots: Slots, range: readonly [number, number]): Points {
  const [from, to] = rowsWithin(column, ...range);
  if (slots.kind === "steps") {
    const points: Points = new Float64Array(slots.steps.length).fill(NaN);
    for (let row = from; row < to; row++) {
      const value = column.values[row] as number;
      if (Number.isFinite(value)) points[indexAt(slots.steps, column.steps[row] as number)] = value;
    }
    return points;
  }
  const lows = new Int32Array(slots.count).fill(-1);
  const highs = new Int32Array(slots.count).fill(-1);
  for (let row = from; row < to; row++) {
    const value = column.values[row] as number;
    if (!Number.isFinite(value)) continue;
    const part = partOf(slots, column.steps[row] as number);
    if (lows[part] === -1 || value < (column.values[lows[part] as number] as number)) lows[part] = row;
    if (highs[part] === -1 || value > (column.values[highs[part] as number] as number)) highs[part] = row;
  }
  const points: Points = new Float64Array(slots.count * 2).fill(NaN);
  for (let part = 0; part < slots.count; part++) {
    const [low, high] = [lows[part] as number, highs[part] as number];
    if (low === -1) continue;
    points[2 * part] = column.values[Math.min(low, high)] as number;
    points[2 * part + 1] = column.values[Math.max(low, high)] as number;
  }
  return points;
}

/** Indices of points without a value whose rows have none: a line has a gap there. Without a row, a line goes on. */
export function gapsIn(
  points: Points,
  columns: readonly Column[],
  slots: Slots,
  range: readonly [number, number],
): ReadonlySet<number> {
  const gaps = new Set<number>();
  for (const column of columns) {
    const [from, to] = rowsWithin(column, ...range);
    for (let row = from; row < to; row++) {
      if (Number.isFinite(column.values[row])) continue;
      const step = column.steps[row] as number;
      const index = slots.kind === "steps" ? indexAt(slots.steps, step) : 2 * partOf(slots, step);
      if (Number.isNaN(points[index])) gaps.add(index).add(slots.kind === "steps" ? index : index + 1);
    }
  }
  return gaps;
}

/**
 * Mean of the columns at each point, each column's own mean of a part first, so that no seed counts more because it has more rows.
 * @param valuesOf - of a column, asked for when it is its turn: what it gives may be overwritten after
 */
export function bandPoints(
  columns: readonly Column[],
  slots: Slots,
  range: readonly [number, number],
  valuesOf: (column: Column) => Float32Array = ({ values }) => values,
): Band {
  const count = slots.kind === "steps" ? slots.steps.length : slots.count;
  const [sums, numbers] = [new Float64Array(count), new Int32Array(count)];
  const [lows, highs] = [new Float64Array(count).fill(Infinity), new Float64Array(count).fill(-Infinity)];
  const [own, rows] = [new Float64Array(count), new Int32Array(count)];
  for (const column of columns) {
    own.fill(0);
    rows.fill(0);
    const values = valuesOf(column);
    const [from, to] = rowsWithin(column, ...range);
    for (let row = from; row < to; row++) {
      const value = values[row] as number;
      if (!Number.isFinite(value)) continue;
      const step = column.steps[row] as number;
      const at = slots.kind === "steps" ? indexAt(slots.steps, step) : partOf(slots, step);
      own[at] = (own[at] as number) + value;
      rows[at] = (rows[at] as number) + 1;
    }
    for (let at = 0; at < count; at++) {
      if (rows[at] === 0) continue;
      const mean = (own[at] as number) / (rows[at] as number);
      sums[at] = (sums[at] as number) + mean;
      numbers[at] = (numbers[at] as number) + 1;
      lows[at] = Math.min(lows[at] as number, mean);
      highs[at] = Math.max(highs[at] as number, mean);
    }
  }
  const twice = slots.kind === "parts";
  const pointsOf = (value: (at: number) => number): Points =>
    Float64Array.from({ length: twice ? count * 2 : count }, (_, i) => {
      const at = twice ? i >> 1 : i;
      return numbers[at] === 0 ? NaN : value(at);
    });
  return {
    mean: pointsOf((at) => (sums[at] as number) / (numbers[at] as number)),
    low: pointsOf((at) => lows[at] as number),
    high: pointsOf((at) => highs[at] as number),
  };
}
