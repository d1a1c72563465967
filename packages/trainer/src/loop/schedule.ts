import type { TrainConfig } from "../settings/config.ts";
import type { LoopState } from "../run/loop-state.ts";

type ScheduleSettings = Pick<
  TrainConfig,
  "steps" | "refreshOldPolicyEvery" | "earlyStopping" | "evaluation" | "checkpoint"
>;

/** Decides when a run evaluates, saves and ends. An abort signal ends it at the next refresh of the old policy. */
export class Schedule {
  readonly #settings: ScheduleSettings;
  readonly #signal: AbortSignal | undefined;

  constructor(settings: ScheduleSettings, signal: AbortSignal | undefined) {
    [this.#settings, this.#signal] = [settings, signal];
  }

  goesOn(state: LoopState): boolean {
    return state.step < this.#settings.steps && !this.#isStopping(state.step) && !this.isStale(state);
  }

  isStale({ best, isStopped = false }: LoopState): boolean {
    const { earlyStopping } = this.#settings;
    const patience = earlyStopping && "patience" in earlyStopping ? earlyStopping.patience : Infinity;
    return isStopped || best.since >= patience;
  }

  /** True if the old policy is the newest, so that a checkpoint need not store it. */
  isRefreshDue(step: number): boolean {
    return step % this.#settings.refreshOldPolicyEvery === 0;
  }

  isEvaluationDue(step: number): boolean {
    const { steps, evaluation } = this.#settings;
    return step === steps || (evaluation.every > 0 && step % evaluation.every === 0);
  }

  /** @param isBest - the step's evaluation is the best so far */
  isCheckpointDue(state: LoopState, isBest: boolean): boolean {
    const { step } = state;
    const isLast = step === this.#settings.steps || this.#isStopping(step) || this.isStale(state);
    return isLast || (isBest && this.isRefreshDue(step)) || this.isRegularCheckpoint(step);
  }

  isRegularCheckpoint(step: number): boolean {
    return step % this.#settings.checkpoint.every === 0;
  }

  #isStopping(step: number): boolean {
    return this.#signal?.aborted === true && this.isRefreshDue(step);
  }
}
