import type { Random } from "@laconic/core";
import { exponential } from "@laconic/core/numeric";

/** Log-normal reply latency with bounds. */
export interface Latency {
  readonly medianSeconds: number;
  /** Standard deviation of the logarithm. */
  readonly sigma: number;
  readonly leastSeconds: number;
  readonly mostSeconds: number;
}

export function drawLatency({ medianSeconds, sigma, leastSeconds, mostSeconds }: Latency, random: Random): number {
  const normal = random.normal();
  return Math.min(mostSeconds, Math.max(leastSeconds, medianSeconds * exponential(sigma * normal)));
}
