import { formatPercent } from "@laconic/core/text";
import { LaconicError, statisticMean, statisticOf } from "@laconic/core";
import { likelyCause, emptyWatch, watchStep, type PolicySigns, type StepSigns } from "../divergence.ts";
import { learnedOf, type LoopState } from "../run/loop-state.ts";
import { checkpointName } from "../run/checkpoint.ts";
import { isNamedRate } from "../settings/named.ts";
import type { LearnerResult } from "../stages/learner.ts";
import type { ScoredRollout } from "../stages/score.ts";
import { evaluateStep } from "./evaluate-step.ts";
import type { TrainingRun } from "./training-run.ts";

/**
 * Ends a diverged run before its weights are saved, after a last evaluation.
 * @returns the state with watch and best checkpoint by training grade
 * @throws LaconicError `training_diverged` with reason, likely cause and best checkpoint
 */
export async function stopDiverged(
  run: TrainingRun,
  state: LoopState,
  scored: readonly ScoredRollout[],
  learners: readonly LearnerResult[],
): Promise<LoopState> {
  const { config, recorder } = run;
  const { step } = state;
  if (config.divergence === null) return state;
  const { watch, reason } = watchStep(state.watch ?? emptyWatch, signsOf(step, scored, learners), config.divergence);
  if (reason === null) return { ...state, watch, ...bestTrained(run, state, watch.recent) };
  if (run.parts.task.testProblems.length > 0) await evaluateStep(run, learnedOf(state)).catch(() => null); // weights may be unusable
  const message = `step ${step}: training diverged and was stopped: ${reason}. ${causeAndBest(run, state)}; set divergence to null to continue such a run`;
  await recorder.warn(message, step);
  throw new LaconicError("training_diverged", message, { step, bestStep: bestStep(run, state) });
}

/**
 * Runs `work` and adds the likely cause to errors about numbers that are not finite.
 * @param step - from 1
 * @throws LaconicError `numeric_invalid` with step, cause and best checkpoint
 */
export async function explainedNumbers<T>(
  run: TrainingRun,
  state: LoopState,
  step: number,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!LaconicError.is(error) || error.code !== "numeric_invalid" || step === 0) throw error;
    const message = `step ${step}: ${error.message}. ${causeAndBest(run, state)}`;
    await run.recorder.warn(message, step);
    const detail = { ...error.detail, step, bestStep: bestStep(run, state) };
    throw new LaconicError("numeric_invalid", message, detail, error);
  }
}

/** @throws LaconicError `numeric_invalid` naming policy and metric */
export function checkFinite(results: readonly LearnerResult[]): void {
  for (const { learner, update } of results) {
    const stray = Object.entries({
      "actor/pg_loss": update.loss,
      "actor/entropy": statisticMean(update.entropy),
      "log-probs": firstNotFinite(update.parts),
    }).find(([, value]) => value !== undefined && !Number.isFinite(value));
    if (!stray) continue;
    const [metric, value] = stray;
    throw new LaconicError(
      "numeric_invalid",
      `policy ${learner.name}: ${metric} is ${String(value)}, not a finite number`,
      { policy: learner.name, metric, value: String(value) },
    );
  }
}

function firstNotFinite(parts: LearnerResult["update"]["parts"]): number | undefined {
  for (const { logProbs } of parts) {
    const stray = logProbs.values.find((value) => !Number.isFinite(value));
    if (stray !== undefined) return stray;
  }
  return undefined;
}

function signsOf(step: number, scored: readonly ScoredRollout[], learners: readonly LearnerResult[]): StepSigns {
  const grades = scored.map(({ measured }) => measured.task).filter(Number.isFinite);
  const policies = learners.map(({ learner, update }): [string, PolicySigns] => {
    const kl = update.diagnostics["approx_kl/k1"];
    const signs = {
      entropy: update.entropy.count > 0 ? statisticMean(update.entropy) : Number.NaN,
      kl: kl && kl.count > 0 ? statisticMean(kl) : 0,
      optimizerSteps: update.parts.length,
      skipped: update.skipped,
    };
    return [learner.name, signs];
  });
  const grade = grades.length > 0 ? statisticMean(statisticOf(grades)) : Number.NaN;
  return { step, grade, policies: Object.fromEntries(policies) };
}

/** Checkpoint with the highest mean grade of preceding steps, for runs without evaluations. */
function bestTrained(
  { config, schedule }: TrainingRun,
  { step, bestTrained: before }: LoopState,
  recent: readonly number[],
): Pick<LoopState, "bestTrained"> {
  if (config.evaluation.every > 0 || !schedule.isRegularCheckpoint(step) || recent.length === 0) return {};
  const grade = recent.reduce((sum, value) => sum + value, 0) / recent.length;
  return before && before.grade >= grade ? {} : { bestTrained: { step, grade } };
}

/** Returns 0 if no checkpoint beats the first weights. */
function bestStep({ schedule }: TrainingRun, { best, bestTrained: trained }: LoopState): number {
  if (trained) return trained.step;
  return schedule.isRefreshDue(best.step) ? best.step : 0;
}

function causeAndBest(run: TrainingRun, state: LoopState): string {
  const rates = run.learners.map(({ config }) => config.optimizer.learningRate).filter(isNamedRate);
  const peak =
    rates.length > 0 ? ` (optimizer.learningRate.peak is ${Math.max(...rates.map((rate) => rate.peak))})` : "";
  const step = bestStep(run, state);
  const by = state.bestTrained
    ? `mean training grade ${formatPercent(state.bestTrained.grade)}`
    : `${formatPercent(state.best.accuracy)} of the validation problems`;
  const best =
    step > 0
      ? `The best checkpoint is checkpoints/${checkpointName(step)} (step ${step}, ${by}); use it as the next run's model`
      : "No checkpoint is better than the initial weights";
  return `${likelyCause}${peak}: train again with a lower one. ${best}`;
}
