import { LaconicError, type LaconicErrorCode } from "@laconic/core";
import type { LoopState } from "../run/loop-state.ts";
import type { TrainingRun } from "./training-run.ts";

/** Errors after which a run can be resumed. */
const ends: readonly LaconicErrorCode[] = ["scoring_failed", "budget_refused"];

/**
 * Runs `work`; saves a checkpoint on errors that allow a resume. This is impossible between refreshes, because the old
 * policy is not stored.
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

/** Saves a checkpoint at the end, unless the last step did. @param resumedAt - null for a fresh run */
export async function saveAtEnd(
  { recorder, models, schedule }: TrainingRun,
  state: LoopState,
  resumedAt: number | null,
): Promise<void> {
  const { step } = state;
  const isKept = step === 0 || step === resumedAt || schedule.isRegularCheckpoint(step);
  if (!isKept && schedule.isRefreshDue(step)) await recorder.checkpoint(models, state);
}
