import { inputError, LaconicError } from "@laconic/core";
import type { BudgetSettings } from "./settings.ts";

/** Measured cost of an iteration. */
export interface BudgetMeasurement {
  readonly tokens: number;
  /** Required by `guard.rewardTolerance`. */
  readonly taskReward?: number;
  /** Required by `guard.maxSilenceRate`. */
  readonly silenceRate?: number;
  /** Share of episodes cut by a hard cap. Default 0. */
  readonly truncatedShare?: number;
}

/** @throws LaconicError `numeric_invalid`, or `input_invalid` if the guard lacks its input */
export function checkMeasurement(measurement: BudgetMeasurement, { guard }: BudgetSettings): void {
  const { tokens, taskReward, silenceRate, truncatedShare } = measurement;
  checkRange("tokens", tokens, 0, Infinity);
  checkRange("taskReward", taskReward, -Infinity, Infinity);
  checkRange("silenceRate", silenceRate, 0, 1);
  checkRange("truncatedShare", truncatedShare, 0, 1);
  if (guard?.rewardTolerance !== undefined) checkGiven("taskReward", taskReward, "guard.rewardTolerance");
  if (guard?.maxSilenceRate !== undefined) checkGiven("silenceRate", silenceRate, "guard.maxSilenceRate");
}

function checkRange(name: string, value: number | undefined, min: number, max: number): void {
  if (value === undefined && name !== "tokens") return;
  if (typeof value === "number" && Number.isFinite(value) && value >= min && value <= max) return;
  throw new LaconicError("numeric_invalid", `budget measurement: ${name} is ${value}, not a finite number in range`, {
    name,
    found: String(value),
  });
}

function checkGiven(name: string, value: number | undefined, setting: string): void {
  if (value === undefined) throw inputError(`budget measurement: ${name} is missing; ${setting} watches it`, { name });
}
