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
/** What a step weighs of the one after it: a busy moment moves the estimate little, a machine that stays slower moves it in twenty steps. */
const decay = 0.9;

/** Seconds, from means of steps and evaluations in which later ones weigh more; null before there are enough steps to tell. */
export function timeLeft({ stepSeconds, evaluationSeconds, stepsLeft, evaluationsLeft }: StepTimes): number | null {
  if (stepSeconds.length < fewest) return null;
  return recentMean(stepSeconds.slice(1)) * stepsLeft + recentMean(evaluationSeconds) * evaluationsLeft;
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
function recentMean(values: readonly number[]): number {
  let [sum, weight] = [0, 0];
  for (const value of values) [sum, weight] = [decay * sum + value, decay * weight + 1];
  return weight === 0 ? 0 : sum / weight;
}
