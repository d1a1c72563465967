import { randomFromSeed } from "@laconic/core";

/** A value and its 95 % interval. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const z = 1.959_963_984_540_054;

/** Wilson's interval of a share (Wilson 1927): holds at 0 and at 1 too. Null without trials. */
export function wilson(successes: number, trials: number): Interval | null {
  if (trials === 0) return null;
  const p = successes / trials;
  const scale = 1 + z ** 2 / trials;
  const centre = (p + z ** 2 / (2 * trials)) / scale;
  const half = (z / scale) * Math.sqrt((p * (1 - p)) / trials + z ** 2 / (4 * trials ** 2));
  return { value: p, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/**
 * The mean difference of two methods on the same questions, by the bootstrap over questions.
 * @param pairs - of each question, what either method got
 */
export function pairedBootstrap(
  pairs: readonly (readonly [a: number, b: number])[],
  draws = 2000,
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
