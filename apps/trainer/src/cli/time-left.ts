/** What the time left is reckoned from. */
export interface StepTimes {
  /** Of each step of this process, evaluations aside. */
  readonly stepSeconds: readonly number[];
  readonly evaluationSeconds: readonly number[];
  readonly stepsLeft: number;
  readonly evaluationsLeft: number;
}

/** The first step loads and compiles, and says nothing of the others. */
const fewest = 3;
const recent = 20;

/** Seconds, from the medians of recent steps and evaluations; null before there are enough steps to tell. */
export function timeLeft({ stepSeconds, evaluationSeconds, stepsLeft, evaluationsLeft }: StepTimes): number | null {
  if (stepSeconds.length < fewest) return null;
  return median(stepSeconds.slice(-recent)) * stepsLeft + median(evaluationSeconds.slice(-recent)) * evaluationsLeft;
}

/**
 * Evaluations that come from the end of a step on: its own, those each so many steps, and the last one.
 * @param every - 0 for the last alone
 */
export function evaluationsFrom(step: number, steps: number, every: number): number {
  if (every === 0) return 1;
  return Math.ceil(steps / every) - Math.floor(step / every) + (step % every === 0 ? 1 : 0);
}

/** 0 of none. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half) - 1] ?? 0)) / 2;
}
