import { randomFromSeed, wilsonInterval } from "@laconic/core";

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
  const n = pairs.length;
  if (n === 0) return null;
  const differences = Float64Array.from(pairs, ([a, b]) => a - b);
  const mean = differences.reduce((sum, each) => sum + each, 0) / n;
  const random = randomFromSeed(seed);
  const means = Float64Array.from({ length: draws }, () => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += differences[random.integer(n)] as number;
    return sum / n;
  }).toSorted();
  const at = (share: number): number => means[Math.min(draws - 1, Math.floor(share * draws))] as number;
  return { value: mean, low: at(0.025), high: at(0.975) };
}
