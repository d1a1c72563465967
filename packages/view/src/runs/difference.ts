import { studentQuantile, varianceOfMean, type Estimate } from "@laconic/core/numeric";

/** A figure over the runs of a group. */
export interface Figure {
  readonly mean: number;
  readonly values: readonly number[];
  /** 95 %: of one run's validation problems, or of several runs' mean by Student's t; null where neither is known. */
  readonly interval: readonly [low: number, high: number] | null;
}

/** A figure less the first group's, with its 95 % interval. */
export interface Difference extends Estimate {
  /** What the interval counts: seeds (Welch 1947), or the validation problems of one run each (Newcombe 1998, method 10). */
  readonly of: "seeds" | "problems" | null;
}

/** How far a figure lies from another; null where one of them is not there. */
export function differenceOf(first: Figure | null, other: Figure | null): Difference | null {
  if (!first || !other) return null;
  const value = other.mean - first.mean;
  if (first.values.length > 1 && other.values.length > 1) {
    const half = welchHalf(first.values, other.values);
    return half === null
      ? { value, low: null, high: null, of: null }
      : { value, low: value - half, high: value + half, of: "seeds" };
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

/** Half of the interval of a difference of means, by Welch's t; null where neither group shows a spread. */
function welchHalf(a: readonly number[], b: readonly number[]): number | null {
  const [va, vb] = [varianceOfMean(a), varianceOfMean(b)];
  if (va + vb === 0) return null;
  const freedom = (va + vb) ** 2 / (va ** 2 / (a.length - 1) + vb ** 2 / (b.length - 1));
  return studentQuantile(0.975, freedom) * Math.sqrt(va + vb);
}
