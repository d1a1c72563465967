import type { Random } from "@laconic/core";
import { exponential } from "@laconic/core/numeric";

/** How long a model takes for a reply: log-normal, which has a heavy tail, within bounds. */
export interface Latency {
  readonly medianSeconds: number;
  /** Standard deviation of the logarithm. */
  readonly sigma: number;
  readonly leastSeconds: number;
  readonly mostSeconds: number;
}

/** Seconds of one reply. */
export function drawLatency({ medianSeconds, sigma, leastSeconds, mostSeconds }: Latency, random: Random): number {
  const normal = random.normal();
  return Math.min(mostSeconds, Math.max(leastSeconds, medianSeconds * exponential(sigma * normal)));
}
