import { configError, type Schedule, shownValue, type ValuesOf } from "@laconic/core";
import { checkedCall } from "@laconic/core/checks";
import { cosine } from "@laconic/core/numeric";
import type { learningRateTable } from "./tables.ts";

/** Learning rate over a run of `steps` optimizer steps. */
export type LearningRateSchedule = ValuesOf<typeof learningRateTable>;

/**
 * Learning rate of a step.
 * @param step - from 0
 * @throws LaconicError `config_invalid` for an impossible schedule
 */
export function learningRateAt(schedule: LearningRateSchedule, step: number, steps: number): number {
  const { peak, warmUpSteps, decay, finalFraction } = schedule;
  if (warmUpSteps < 0 || finalFraction < 0 || finalFraction > 1)
    throw configError("learning rate: warmUpSteps must be >= 0 and finalFraction in [0, 1]");
  if (step < warmUpSteps) return (peak * (step + 1)) / warmUpSteps;
  if (decay === "constant") return peak;
  const progress = Math.min(1, (step - warmUpSteps) / Math.max(1, steps - warmUpSteps));
  const left = decay === "linear" ? 1 - progress : 0.5 * (1 + cosine(Math.PI * progress));
  return peak * (finalFraction + (1 - finalFraction) * left);
}

/** Checks that a schedule returns numbers above 0. @param name - for messages */
export function checkedSchedule(schedule: Schedule, name: string): Schedule {
  return (step, steps) =>
    checkedCall(
      { name: `the ${name}`, value: "schedule", place: `step ${step + 1}` },
      () => schedule(step, steps),
      (input) =>
        typeof input === "number" && Number.isFinite(input) && input > 0
          ? null
          : `gave ${shownValue(input)}, expected a finite number above 0`,
    );
}
