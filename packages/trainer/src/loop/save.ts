import { LaconicError, type LaconicErrorCode } from "@laconic/core";
import type { LoopState } from "../run/loop-state.ts";
import type { TrainingRun } from "./training-run.ts";

/** Errors after which a run can be resumed: samples without scores, or a spend cap. */
const ends: readonly LaconicErrorCode[] = ["scoring_failed", "budget_refused"];

/**
 * Does work, and keeps what was learned before what ends a run that can go on later. The old policy is not stored: between its refreshes nothing is.
 */
export async function checkpointOnFailure<T>(
  { recorder, models, schedule }: TrainingRun,
  state: LoopState,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isKnown = LaconicError.is(error) && ends.includes(error.code);
    if (isKnown && state.step > 0 && schedule.isRefreshDue(state.step)) await recorder.checkpoint(models, state);
    throw error;
  }
}

/**
 * Keeps what was learned where there are no more episodes, unless the last step did.
 * @param resumedAt - the step that this process went on from; null for a fresh run
 */
export async function saveAtEnd(
  { recorder, models, schedule }: TrainingRun,
  state: LoopState,
  resumedAt: number | null,
): Promise<void> {
  const { step } = state;
  const isKept = step === 0 || step === resumedAt || schedule.isRegularCheckpoint(step);
  if (!isKept && schedule.isRefreshDue(step)) await recorder.checkpoint(models, state);
}
