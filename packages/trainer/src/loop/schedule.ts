import type { TrainConfig } from "../settings/config.ts";
import type { LoopState } from "../run/loop-state.ts";

/** When a run does what, and when it ends. */
export interface Schedule {
  /** Whether there is another step. */
  goesOn(state: LoopState): boolean;
  /** Evaluations stopped getting better. */
  isStale(state: LoopState): boolean;
  /** The old policy is the newest then, so that nothing but the weights need be stored. */
  isRefreshDue(step: number): boolean;
  isEvaluationDue(step: number): boolean;
  /** @param isBest - whether the step's evaluation is the best so far */
  isCheckpointDue(state: LoopState, isBest: boolean): boolean;
  /** Whether a checkpoint is made at a step whatever happens there. */
  isRegularCheckpoint(step: number): boolean;
}

/** Of a configuration; an abort signal ends the run at its next refresh of the old policy. */
export function schedule(
  {
    steps,
    refreshOldPolicyEvery,
    earlyStopping,
    evaluation,
    checkpoint,
  }: Pick<TrainConfig, "steps" | "refreshOldPolicyEvery" | "earlyStopping" | "evaluation" | "checkpoint">,
  signal: AbortSignal | undefined,
): Schedule {
  const patience = earlyStopping && "patience" in earlyStopping ? earlyStopping.patience : Infinity;
  const isRefreshDue = (step: number): boolean => step % refreshOldPolicyEvery === 0;
  const isStopping = (step: number): boolean => signal?.aborted === true && isRefreshDue(step);
  const isStale = ({ best, isStopped = false }: LoopState): boolean => isStopped || best.since >= patience;
  return {
    isStale,
    isRefreshDue,
    goesOn: (state) => state.step < steps && !isStopping(state.step) && !isStale(state),
    isEvaluationDue: (step) => step === steps || isDue(step, evaluation.every),
    isCheckpointDue(state, isBest) {
      const { step } = state;
      const keepsBest = isBest && isRefreshDue(step);
      return step === steps || isStopping(step) || isStale(state) || keepsBest || isDue(step, checkpoint.every);
    },
    isRegularCheckpoint: (step) => isDue(step, checkpoint.every),
  };
}

/** Never when `every` is 0. */
function isDue(step: number, every: number): boolean {
  return every > 0 && step % every === 0;
}
