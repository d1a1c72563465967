import { refuseSetting } from "@laconic/core";
import { learnedOf, type LoopState } from "../run/loop-state.ts";
import { byPolicy } from "./step.ts";
import { evaluateStep, pointOf } from "./evaluate-step.ts";
import type { TrainingRun } from "./training-run.ts";

/**
 * Loads the last checkpoint, or evaluates the first weights.
 * @throws LaconicError `config_invalid` for a run with more steps than configured
 */
export async function begin(
  run: TrainingRun,
): Promise<{ readonly state: LoopState; readonly resumedAt: number | null }> {
  const { recorder, models, learners, budget, curriculum, stopping, pool } = run;
  const resumed = await recorder.restore(models);
  if (resumed) {
    await pool?.restore(resumed.opponents ?? []);
    return { state: await resumeState(run, resumed), resumedAt: resumed.step };
  }
  await recorder.begin?.(models);
  const opponents = await pool?.begin();
  const learned = {
    step: 0,
    budgets: budget.init(),
    policyBudgets: byPolicy(learners.map(({ name, controller }) => [name, controller?.init()])),
    estimators: byPolicy(learners.map(({ name, estimator }) => [name, estimator.init?.()])),
    ...(curriculum && { results: {} }),
    ...(opponents && { opponents }),
  };
  const before = await evaluateStep(run, learned);
  return {
    state: {
      ...learned,
      before,
      after: before,
      ...(stopping && { evaluations: [pointOf(before)] }),
      best: { step: 0, accuracy: before.accuracy, since: 0 },
    },
    resumedAt: null,
  };
}

async function resumeState(run: TrainingRun, resumed: LoopState): Promise<LoopState> {
  const { recorder, config, models } = run;
  const { step } = resumed;
  if (step > config.steps) refuseSetting("steps", `the run has done ${step} already, more than ${config.steps}`);
  const inFlight = describeNumbers(resumed.queue?.again ?? []);
  if (inFlight !== "")
    await recorder.warn(
      `groups ${inFlight} were in flight at step ${step}: they are played again with the weights of that step`,
      step,
    );
  if (step !== config.steps || resumed.after.step === step) return resumed;
  const state = { ...resumed, after: await evaluateStep(run, learnedOf(resumed)) };
  await recorder.checkpoint(models, state);
  return state;
}

/** Formats ascending numbers as `3, 5-8`; empty for none. */
function describeNumbers(numbers: readonly number[]): string {
  const stretches: [first: number, last: number][] = [];
  for (const value of numbers) {
    const last = stretches.at(-1);
    if (last && last[1] === value - 1) last[1] = value;
    else stretches.push([value, value]);
  }
  return stretches.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
}
