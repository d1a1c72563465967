export interface StepTimes {
  /** Steps of this process, without evaluations. */
  readonly stepSeconds: readonly number[];
  readonly evaluationSeconds: readonly number[];
  readonly stepsLeft: number;
  readonly evaluationsLeft: number;
}

/** Min steps. The first step loads and compiles, so it is ignored. */
const fewest = 3;
/** Weight of a step relative to the next; the estimate adapts in about twenty steps. */
const decay = 0.9;

/** Seconds from weighted means of recent steps and evaluations; null with too few steps. */
export function timeLeft({ stepSeconds, evaluationSeconds, stepsLeft, evaluationsLeft }: StepTimes): number | null {
  if (stepSeconds.length < fewest) return null;
  return recentMean(stepSeconds.slice(1)) * stepsLeft + recentMean(evaluationSeconds) * evaluationsLeft;
}

/** Number of evaluations from the end of a step on. @param every - 0 for only the last */
export function evaluationsFrom(step: number, steps: number, every: number): number {
  if (every === 0) return 1;
  return Math.ceil(steps / every) - Math.floor(step / every) + (step % every === 0 ? 1 : 0);
}

/** Weighted mean; 0 for an empty list. */
function recentMean(values: readonly number[]): number {
  let [sum, weight] = [0, 0];
  for (const value of values) [sum, weight] = [decay * sum + value, decay * weight + 1];
  return weight === 0 ? 0 : sum / weight;
}
