/** A figure over the runs of a group. */
export interface Figure {
  readonly mean: number;
  readonly values: readonly number[];
  /** 95 %: of one run's held-out problems, or of several runs' mean by Student's t; null where neither is known. */
  readonly interval: readonly [low: number, high: number] | null;
}

/** A figure less the first group's, with its 95 % interval; without one the ends are null. */
export interface Difference {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  /** What the interval counts: seeds (Welch 1947), or the held-out problems of one run each (Newcombe 1998, method 10). */
  readonly of: "seeds" | "problems" | null;
}

/** How far a figure lies from another; null where one of them is not there. */
export function differenceOf(first: Figure | null, other: Figure | null): Difference | null {
  if (!first || !other) return null;
  const value = other.mean - first.mean;
  if (first.values.length > 1 && other.values.length > 1) {
    const half = welchHalf(first.values, other.values);
    return { value, low: value - half, high: value + half, of: "seeds" };
  }
  const [a, b] = [first.interval, other.interval];
  if (first.values.length > 1 || other.values.length > 1 || !a || !b) return { value, low: null, high: null, of: null };
  return {
    value,
    low: value - Math.hypot(other.mean - b[0], a[1] - first.mean),
    high: value + Math.hypot(b[1] - other.mean, first.mean - a[0]),
    of: "problems",
  };
}

/** Half of the interval of a difference of means, by Welch's t. */
function welchHalf(a: readonly number[], b: readonly number[]): number {
  const [va, vb] = [varianceOf(a) / a.length, varianceOf(b) / b.length];
  if (va + vb === 0) return 0;
  const freedom = (va + vb) ** 2 / (va ** 2 / (a.length - 1) + vb ** 2 / (b.length - 1));
  return quantile(freedom) * Math.sqrt(va + vb);
}

function varianceOf(values: readonly number[]): number {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  return values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (values.length - 1);
}

/** Student's t at 0.975 for 1, 2, ... 30 degrees of freedom. */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** Rounded down: the wider interval. */
function quantile(freedom: number): number {
  return quantiles[Math.max(1, Math.floor(freedom)) - 1] ?? 2.042;
}
