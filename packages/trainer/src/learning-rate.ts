import { LaconicError, type ValuesOf } from "@laconic/core";
import { cosine } from "@laconic/core/numeric";
import type { learningRateTable } from "./settings/tables.ts";

/** How the learning rate moves over a run of `steps` optimiser steps. */
export type LearningRateSchedule = ValuesOf<typeof learningRateTable>;

/**
 * Learning rate of optimiser step `step`, counted from 0.
 * @throws LaconicError `config_invalid` when the schedule cannot be followed.
 */
export function learningRateAt(schedule: LearningRateSchedule, step: number, steps: number): number {
  const { peak, warmUpSteps, decay, finalFraction } = schedule;
  if (warmUpSteps < 0 || finalFraction < 0 || finalFraction > 1)
    throw new LaconicError("config_invalid", "learning rate: warmUpSteps must be >= 0 and finalFraction in [0, 1]");
  if (step < warmUpSteps) return (peak * (step + 1)) / warmUpSteps;
  if (decay === "constant") return peak;
  const progress = Math.min(1, (step - warmUpSteps) / Math.max(1, steps - warmUpSteps));
  const left = decay === "linear" ? 1 - progress : 0.5 * (1 + cosine(Math.PI * progress));
  return peak * (finalFraction + (1 - finalFraction) * left);
}
