import { logarithm } from "./exponential.ts";
import { meanOf } from "./statistic.ts";

/** Lanczos coefficients of the gamma function, g = 7 (Godfrey 2001), 15 digits. */
const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

/** Logarithm of the gamma function for x > 0, relative error below 1e-13. */
export function logGamma(x: number): number {
  if (x < 0.5) return logGamma(x + 1) - logarithm(x);
  const sum = lanczos.reduce((total, coefficient, i) => total + coefficient / (x + i), 0.99999999999980993);
  const t = x + 6.5;
  return 0.5 * logarithm(2 * Math.PI) + (x - 0.5) * logarithm(t) - t + logarithm(sum);
}

/** Probability of Beta(a, b) below `x` by its continued fraction (DLMF 8.17.22). */
function betaProbability(x: number, a: number, b: number): number {
  // The fraction converges fast only below the mean.
  if (x > (a + 1) / (a + b + 2)) return 1 - betaProbability(1 - x, b, a);
  const front = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  const odd = (m: number) => (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
  let fraction = 1;
  for (let m = 50 + Math.ceil(2 * Math.sqrt(Math.max(a, b))); m > 0; m--) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    fraction = 1 + even / (1 + odd(m) / fraction);
  }
  return Math.exp(front) / (a * (1 + odd(0) / fraction));
}

/** Quantile of Beta(a, b), relative error below 1e-9. */
export function betaQuantile(probability: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  // 100 halvings reach adjacent doubles for quantiles above 1e-14.
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (betaProbability(middle, a, b) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Quantile of Student's t above the median; `freedom` may be fractional. */
export function studentQuantile(probability: number, freedom: number): number {
  return Math.sqrt(freedom * (1 / betaQuantile(2 * (1 - probability), freedom / 2, 0.5) - 1));
}

/** Two-sided tail probability of Student's t; `freedom` may be fractional. */
export function studentTails(t: number, freedom: number): number {
  return betaProbability(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/** Value with its 95 % interval; ends are null without spread. */
export interface Estimate {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Variance of a mean from its values; 0 for fewer than two or for equal values. */
export function varianceOfMean(values: readonly number[]): number {
  const [n, mean] = [values.length, meanOf(values) ?? 0];
  // equal up to rounding
  if (values.every((value) => Math.abs(value - mean) <= 1e-12 * Math.abs(mean))) return 0;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1) / n;
}

/** 95 % interval by Student's t; null without spread. */
export function studentInterval(values: readonly number[]): [low: number, high: number] | null {
  const [variance, mean] = [varianceOfMean(values), meanOf(values) ?? 0];
  if (variance === 0) return null;
  const half = studentQuantile(0.975, values.length - 1) * Math.sqrt(variance);
  return [mean - half, mean + half];
}

/** Two-sided p-value of a zero mean; null without spread. */
export function studentTest(values: readonly number[]): number | null {
  const [variance, mean] = [varianceOfMean(values), meanOf(values) ?? 0];
  return variance === 0 ? null : studentTails(mean / Math.sqrt(variance), values.length - 1);
}

const z = 1.959963984540054;

/** 95 % Wilson score interval of a share (Wilson 1927), also valid at 0 and 1; [0, 1] without trials. */
export function wilsonInterval(successes: number, trials: number): [low: number, high: number] {
  if (trials === 0) return [0, 1];
  const p = successes / trials;
  const centre = p + (z * z) / (2 * trials);
  const half = z * Math.sqrt((p * (1 - p)) / trials + (z * z) / (4 * trials * trials));
  const scale = 1 + (z * z) / trials;
  return [Math.max(0, (centre - half) / scale), Math.min(1, (centre + half) / scale)];
}

/** Trial results of one question. */
export interface Cluster {
  readonly successes: number;
  readonly trials: number;
}

/**
 * Wilson's interval of a share with clustered trials. Variance by cluster (Miller 2024, "Adding Error Bars to Evals",
 * Eq. 4), widened by Student's t; trials are divided by the design effect (Kish 1965).
 */
export function clusteredWilsonInterval(clusters: readonly Cluster[]): [low: number, high: number] {
  const asked = clusters.filter(({ trials }) => trials > 0);
  const [n, trials] = [asked.length, asked.reduce((sum, cluster) => sum + cluster.trials, 0)];
  if (trials === 0) return [0, 1];
  const p = asked.reduce((sum, cluster) => sum + cluster.successes, 0) / trials;
  const independent = trials * p * (1 - p);
  const clustered = asked.reduce((sum, cluster) => sum + (cluster.successes - p * cluster.trials) ** 2, 0);
  // A single cluster, or equal trials, do not show the correlation within clusters.
  const isUnknown = n === 1 || independent === 0;
  const widening = isUnknown ? 1 : (n / (n - 1)) * (studentQuantile(0.975, n - 1) / z) ** 2;
  const effective = isUnknown ? n : Math.min(trials, Math.max(n, (trials * independent) / (clustered * widening)));
  return wilsonInterval(p * effective, effective);
}
