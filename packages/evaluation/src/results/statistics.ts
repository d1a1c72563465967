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

/** A value and its 95 % interval. */
export interface Interval extends Estimate {
  readonly low: number;
  readonly high: number;
}

/** Wilson's interval of a share (Wilson 1927): holds at 0 and at 1 too. Null without trials. */
export function wilson(successes: number, trials: number): Interval | null {
  if (trials === 0) return null;
  const [low, high] = wilsonInterval(successes, trials);
  return { value: successes / trials, low, high };
}

/** The same of questions that were asked several times each, whose repeats are not independent. Null without trials. */
export function clusteredWilson(questions: readonly Cluster[]): Interval | null {
  const [successes, trials] = questions.reduce(
    ([right, of], each) => [right + each.successes, of + each.trials],
    [0, 0],
  );
  if (trials === 0) return null;
  const [low, high] = clusteredWilsonInterval(questions);
  return { value: successes / trials, low, high };
}

/** What values are: shares from 0 to 1, differences of two shares, or amounts without bounds, such as tokens. */
export type ValueKind = "share" | "difference" | "amount";

/** The bootstrap needs this many values that differ from the most frequent one: by simulation, fewer lose coverage. */
const enoughForBootstrap = 20;

/**
 * Mean of several runs' means with its 95 % interval. Null without a value.
 * - Several runs: Student's t over the runs' means, for runs on the same questions. The bootstrap over 3 to 10 runs is too narrow.
 * - One run: the bootstrap over questions.
 * - One run in which few values differ from the most frequent one, where the bootstrap would be too narrow, and runs with equal
 *   means: an exact interval of bounded values, in which a question counts once whatever the number of runs. Other values of
 *   one run have Student's t; of equal amounts, and of one amount, the interval is not estimable.
 * @param samples - of each run, a value for each question
 */
export function meanEstimate(samples: readonly (readonly number[])[], kind: ValueKind): Estimate | null {
  const runs = samples.filter(({ length }) => length > 0);
  const all = runs.flat();
  const means = runs.map((run) => meanOf(run) as number);
  const value = meanOf(means);
  if (value === null) return null;
  const counts = new Map<number, number>();
  for (const each of all) {
    const rounded = Math.round(1e9 * each);
    counts.set(rounded, (counts.get(rounded) ?? 0) + 1);
  }
  const lowest = { share: 0, difference: -1, amount: null }[kind];
  const isBounded = lowest !== null && all.every((each) => each >= lowest && each <= 1);
  const exact = (): readonly [low: number, high: number] | null => (isBounded ? boundedInterval(runs, lowest) : null);
  const [low, high] =
    (runs.length > 1
      ? (studentInterval(means) ?? exact())
      : all.length - Math.max(...counts.values()) >= enoughForBootstrap
        ? bootstrapInterval(all)
        : (exact() ?? studentInterval(all))) ?? [];
  return { value, low: low ?? null, high: high ?? null };
}

/**
 * Holm's correction (1979) of p-values: with values below 0.05 called differences, the chance of one or more false calls is at
 * most 5 %. Null stays null, and counts as no comparison.
 */
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

/** Mean difference of two methods on the same questions, see {@link meanEstimate}: of each run, the pairs of its questions. */
export function pairedDifference(
  runs: readonly (readonly (readonly [a: number, b: number])[])[],
  kind: Exclude<ValueKind, "share">,
): Estimate | null {
  return meanEstimate(
    runs.map((pairs) => pairs.map(([a, b]) => a - b)),
    kind,
  );
}

/** Percentiles of means of resampled values. */
function bootstrapInterval(samples: readonly number[]): [low: number, high: number] {
  const values = Float64Array.from(samples);
  const n = values.length;
  // More questions narrow the interval; they do not need as many draws to find its ends.
  const draws = n > 1000 ? 1000 : 2000;
  const random = randomFromSeed(0);
  const means = Float64Array.from({ length: draws }, () => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += values[random.integer(n)] as number;
    return sum / n;
  }).toSorted();
  const at = (share: number): number => means[Math.min(draws - 1, Math.floor(share * draws))] as number;
  return [at(0.025), at(0.975)];
}

/**
 * Of a mean as gains less losses: Clopper and Pearson's exact interval (1934) of either share, put together as Newcombe does
 * (1998, method 10), with the largest correlation that both intervals allow. By enumeration it holds at least 95 times in 100.
 */
function boundedInterval(runs: readonly (readonly number[])[], lowest: number): [low: number, high: number] {
  const n = Math.min(...runs.map(({ length }) => length));
  const share = (sign: number): number =>
    meanOf(runs.map((run) => meanOf(run.map((each) => Math.max(0, sign * each))) as number)) as number;
  const [gain, loss] = [share(1), share(-1)];
  const [gainLow, gainHigh] = exactShare(gain, n);
  const [lossLow, lossHigh] = lowest === 0 ? [0, 0] : exactShare(loss, n);
  const odds = (p: number): number => p / (1 - p);
  const correlation = Math.min(1, Math.sqrt(odds(gainHigh) * odds(lossHigh)) || 0);
  const apart = (a: number, b: number): number => Math.sqrt(a * a + b * b + 2 * correlation * a * b);
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
