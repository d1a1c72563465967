/** Running summary that merges exactly across micro-batches. */
export interface Statistic {
  readonly sum: number;
  readonly count: number;
  readonly min: number;
  readonly max: number;
}

/** Neutral in merges. */
export const emptyStatistic: Statistic = { sum: 0, count: 0, min: Infinity, max: -Infinity };

/** Summarises values. */
export function statisticOf(values: Iterable<number>): Statistic {
  // An iterator would allocate an object for each number.
  const list = values instanceof Float64Array ? values : [...values];
  let sum = 0;
  let count = 0;
  let min = Infinity;
  let max = -Infinity;
  for (; count < list.length; count++) {
    const value = list[count]!;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { sum, count, min, max };
}

/** Merges two statistics. */
export function mergeStatistics(a: Statistic, b: Statistic): Statistic {
  return { sum: a.sum + b.sum, count: a.count + b.count, min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** Mean; 0 without values. */
export function statisticMean(statistic: Statistic): number {
  return statistic.count === 0 ? 0 : statistic.sum / statistic.count;
}

/** Mean; null without values. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Statistics by metric name. */
export type Diagnostics = Readonly<Record<string, Statistic>>;

/** Merges by name. */
export function mergeDiagnostics(a: Diagnostics, b: Diagnostics): Diagnostics {
  const merged: Record<string, Statistic> = { ...a };
  for (const [name, statistic] of Object.entries(b))
    merged[name] = mergeStatistics(merged[name] ?? emptyStatistic, statistic);
  return merged;
}
