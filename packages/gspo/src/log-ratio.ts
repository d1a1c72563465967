import { exponential } from "@laconic/core/numeric";

/** Clamp at the exponential; e^20 does not overflow. */
const maxLogRatio = 20;

export function ratioOf(logRatio: number): number {
  return exponential(logRatio > maxLogRatio ? maxLogRatio : logRatio < -maxLogRatio ? -maxLogRatio : logRatio);
}

/** A clamped ratio has no gradient. */
export function isClamped(logRatio: number): boolean {
  return logRatio > maxLogRatio || logRatio < -maxLogRatio;
}

export function meanLogRatio(logRatio: Float64Array, divisor: number): number {
  let sum = 0;
  for (let t = 0; t < logRatio.length; t++) sum += logRatio[t]!;
  return sum / divisor;
}
