import { exponential } from "@laconic/core/numeric";

/** Clamp of a token's log-ratio, or a sequence's mean, at its exponential only: e^20 does not overflow, and no update survives it. */
const maxLogRatio = 20;

/** exp of a log-ratio clamped to ±20. */
export function ratioOf(logRatio: number): number {
  return exponential(logRatio > maxLogRatio ? maxLogRatio : logRatio < -maxLogRatio ? -maxLogRatio : logRatio);
}

/** Whether {@link ratioOf} is constant here, so that a loss has no gradient through the ratio. */
export function isClamped(logRatio: number): boolean {
  return logRatio > maxLogRatio || logRatio < -maxLogRatio;
}

/** (1 / divisor) sum of the log-ratios. */
export function meanLogRatio(logRatio: Float64Array, divisor: number): number {
  let sum = 0;
  for (let t = 0; t < logRatio.length; t++) sum += logRatio[t] as number;
  return sum / divisor;
}
