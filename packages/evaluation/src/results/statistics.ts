import { randomFromSeed } from "@laconic/core";
import {
  betaQuantile,
  clusteredWilsonInterval,
  meanOf,
  studentInterval,
  wilsonInterval,
  type Cluster,
  type Estimate,
} from "@laconic/core/numeric";

/** Value with its 95 % interval. */
export interface Interval extends Estimate {
  readonly low: number;
  readonly high: number;
}

/** Wilson's interval of a share (1927), valid at 0 and 1. Null without trials. */
export function wilson(successes: number, trials: number): Interval | null {
  if (trials === 0) return null;
  const [low, high] = wilsonInterval(successes, trials);
  return { value: successes / trials, low, high };
}

/** Wilson's interval for dependent repeats of questions. Null without trials. */
export function clusteredWilson(questions: readonly Cluster[]): Interval | null {
  const [successes, trials] = questions.reduce(
    ([right, of], question) => [right + question.successes, of + question.trials],
    [0, 0],
  );
  if (trials === 0) return null;
  const [low, high] = clusteredWilsonInterval(questions);
  return { value: successes / trials, low, high };
}

/** Shares (0 to 1), differences of shares, or unbounded amounts. */
export type ValueKind = "share" | "difference" | "amount";

/** Min values other than the most frequent one; fewer lose coverage in simulations. */
const enoughForBootstrap = 20;

/**
 * Mean over runs with its 95 % interval. Null without a value.
 * - Several runs: Student's t over the runs' means; the bootstrap over 3 to 10 runs is too narrow.
 * - One run: bootstrap over questions.
 * - Runs with equal means, or few values other than the most frequent one: exact interval of bounded values, in which a
 * question counts once; Student's t for other values. Equal or single amounts have no interval.
 * @param samples - values of each run by question
 */
export function meanEstimate(samples: readonly (readonly number[])[], kind: ValueKind): Estimate | null {
  const runs = samples.filter(({ length }) => length > 0);
  const all = runs.flat();
  const means = runs.map((run) => meanOf(run)!);
  const value = meanOf(means);
  if (value === null) return null;
  const counts = new Map<number, number>();
  for (const item of all) {
    const rounded = Math.round(1e9 * item);
    counts.set(rounded, (counts.get(rounded) ?? 0) + 1);
  }
  const lowest = { share: 0, difference: -1, amount: null }[kind];
  const isBounded = lowest !== null && all.every((item) => item >= lowest && item <= 1);
  const exact = (): readonly [low: number, high: number] | null => (isBounded ? boundedInterval(runs, lowest) : null);
  const [low, high] =
    (runs.length > 1
      ? (studentInterval(means) ?? exact())
      : all.length - Math.max(...counts.values()) >= enoughForBootstrap
        ? bootstrapInterval(all)
        : (exact() ?? studentInterval(all))) ?? [];
  return { value, low: low ?? null, high: high ?? null };
}

/** Holm's correction (1979): limits the probability of any false call below 0.05 to 5 %. Nulls do not count. */
export function holm(values: readonly (number | null)[]): (number | null)[] {
  const ordered = values.flatMap((p, i) => (p === null ? [] : [{ p, i }])).toSorted((a, b) => a.p - b.p);
  const corrected = [...values];
  let most = 0;
  for (const [rank, { p, i }] of ordered.entries()) {
    most = Math.max(most, Math.min(1, (ordered.length - rank) * p));
    corrected[i] = most;
  }
  return corrected;
}

/** Mean difference on the same questions, see {@link meanEstimate}. */
export function pairedDifference(
  runs: readonly (readonly (readonly [a: number, b: number])[])[],
  kind: Exclude<ValueKind, "share">,
): Estimate | null {
  return meanEstimate(
    runs.map((pairs) => pairs.map(([a, b]) => a - b)),
    kind,
  );
}

function bootstrapInterval(samples: readonly number[]): [low: number, high: number] {
  const values = Float64Array.from(samples);
  const n = values.length;
  // Large samples need fewer draws.
  const draws = n > 1000 ? 1000 : 2000;
  const random = randomFromSeed(0);
  const means = Float64Array.from({ length: draws }, () => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += values[random.integer(n)]!;
    return sum / n;
  }).toSorted();
  const quantile = (share: number) => means[Math.min(draws - 1, Math.floor(share * draws))]!;
  return [quantile(0.025), quantile(0.975)];
}

/**
 * Interval of gains minus losses: Clopper and Pearson's exact intervals (1934), combined as by Newcombe (1998, method
 * 10) with the largest allowed correlation. Coverage is at least 95 % by enumeration.
 */
function boundedInterval(runs: readonly (readonly number[])[], lowest: number): [low: number, high: number] {
  const n = Math.min(...runs.map(({ length }) => length));
  const share = (sign: number) => meanOf(runs.map((run) => meanOf(run.map((value) => Math.max(0, sign * value)))!))!;
  const [gain, loss] = [share(1), share(-1)];
  const [gainLow, gainHigh] = exactShare(gain, n);
  const [lossLow, lossHigh] = lowest === 0 ? [0, 0] : exactShare(loss, n);
  const odds = (p: number) => p / (1 - p);
  const correlation = Math.min(1, Math.sqrt(odds(gainHigh) * odds(lossHigh)) || 0);
  const apart = (a: number, b: number) => Math.sqrt(a * a + b * b + 2 * correlation * a * b);
  const [below, above] = [apart(gain - gainLow, lossHigh - loss), apart(gainHigh - gain, loss - lossLow)];
  return [Math.max(lowest, gain - loss - below), Math.min(1, gain - loss + above)];
}

function exactShare(share: number, n: number): readonly [low: number, high: number] {
  const successes = share * n;
  return [
    successes <= 0 ? 0 : betaQuantile(0.025, successes, n - successes + 1),
    successes >= n ? 1 : betaQuantile(0.975, successes + 1, n - successes),
  ];
}
