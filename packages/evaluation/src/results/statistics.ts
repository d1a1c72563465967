import { clusteredWilsonInterval, randomFromSeed, wilsonInterval, type Cluster } from "@laconic/core";

/** A value and its 95 % interval. */
export interface Interval {
  readonly value: number;
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

/**
 * The mean difference of two methods on the same questions, by the bootstrap over questions.
 * @param pairs - of each question, what either method got
 */
export function pairedBootstrap(
  pairs: readonly (readonly [a: number, b: number])[],
  // More questions narrow the interval; they do not need as many draws to find its ends.
  draws: number = pairs.length > 1000 ? 1000 : 2000,
  seed = 0,
): Interval | null {
  return pairedBootstrapOverRuns([pairs], draws, seed);
}

/**
 * The same of two methods that were each run several times: the bootstrap draws runs, then questions within each run. Every
 * run counts alike. Of one run it is `pairedBootstrap`; of fewer than about five the interval is narrower than it says.
 * @param runs - of each run, the pairs of its questions; runs without any are left out
 */
export function pairedBootstrapOverRuns(
  runs: readonly (readonly (readonly [a: number, b: number])[])[],
  draws: number = runs.flat().length > 1000 ? 1000 : 2000,
  seed = 0,
): Interval | null {
  const differences = runs
    .filter((pairs) => pairs.length > 0)
    .map((pairs) => Float64Array.from(pairs, ([a, b]) => a - b));
  const n = differences.length;
  if (n === 0) return null;
  const random = randomFromSeed(seed);
  const means = Float64Array.from({ length: draws }, () => {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const run = differences[n === 1 ? 0 : random.integer(n)] as Float64Array;
      let within = 0;
      for (let j = 0; j < run.length; j++) within += run[random.integer(run.length)] as number;
      sum += within / run.length;
    }
    return sum / n;
  }).toSorted();
  const at = (share: number): number => means[Math.min(draws - 1, Math.floor(share * draws))] as number;
  const mean = differences.reduce((sum, run) => sum + run.reduce((of, each) => of + each, 0) / run.length, 0) / n;
  return { value: mean, low: at(0.025), high: at(0.975) };
}
