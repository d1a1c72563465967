import { studentQuantile, studentTails } from "./quantiles.ts";
import { meanOf } from "./statistic.ts";

/** A value and the ends of its 95 % interval; null where the data does not show them, such as one run or equal runs. */
export interface Estimate {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Variance of a mean, from the spread of its values; 0 for fewer than two values and for equal ones. */
export function varianceOfMean(values: readonly number[]): number {
  const [n, mean] = [values.length, meanOf(values) ?? 0];
  // Equal but for rounding.
  if (values.every((value) => Math.abs(value - mean) <= 1e-12 * Math.abs(mean))) return 0;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1) / n;
}

/** 95 % interval of a mean by Student's t; null where the values show no spread. */
export function studentInterval(values: readonly number[]): [low: number, high: number] | null {
  const [variance, mean] = [varianceOfMean(values), meanOf(values) ?? 0];
  if (variance === 0) return null;
  const half = studentQuantile(0.975, values.length - 1) * Math.sqrt(variance);
  return [mean - half, mean + half];
}

/** Two-sided p-value of a mean of 0 by Student's t; null where the values show no spread. */
export function studentTest(values: readonly number[]): number | null {
  const [variance, mean] = [varianceOfMean(values), meanOf(values) ?? 0];
  return variance === 0 ? null : studentTails(mean / Math.sqrt(variance), values.length - 1);
}
