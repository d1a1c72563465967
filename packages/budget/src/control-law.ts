import { inputError } from "@laconic/core";
import type { BudgetMeasurement } from "./measurement.ts";
import type { BudgetSettings } from "./settings.ts";
import type { BudgetState } from "./state.ts";

export interface UnitStep {
  readonly dual: number;
  readonly integral: number;
  readonly target: number;
  readonly violation: number;
  readonly saturated: boolean;
  readonly held: boolean;
  readonly guarded: boolean;
}

export function warmUp(settings: BudgetSettings, state: BudgetState, { tokens }: BudgetMeasurement): UnitStep {
  const last = state.iteration + 1 === settings.warmupIterations;
  return {
    dual: last ? settings.initialPrice : settings.warmupPrice,
    integral: settings.initialPrice,
    target: settings.targetTokens,
    violation: violationOf(settings, tokens, settings.targetTokens),
    saturated: false,
    held: false,
    guarded: false,
  };
}

/** @throws LaconicError `input_invalid` if the guard has no reference reward */
export function control(settings: BudgetSettings, state: BudgetState, measurement: BudgetMeasurement): UnitStep {
  const { learningRate, proportionalGain, derivativeGain, antiWindup, truncationTolerance } = settings;
  const maxPrice = settings.maxPrice ?? Infinity;
  const target = targetOf(settings, state);
  const violation = violationOf(settings, measurement.tokens, target);
  // A truncated cost is a lower bound: valid above the target, inconclusive below it.
  const truncated = antiWindup && (measurement.truncatedShare ?? 0) > truncationTolerance;
  const held = truncated && violation < 0;
  const proven = held ? 0 : violation;
  const increase = smooth(settings, state, measurement) - (state.smoothedTokens ?? measurement.tokens);
  const rise = Math.max(0, increase) / (settings.unit === "budget" ? target : 1);
  const correction = proportionalGain * proven + derivativeGain * rise;

  const pinned = antiWindup && violation > 0 && state.integral + correction >= maxPrice;
  let integral = state.integral;
  if (!pinned) integral = Math.max(0, integral + learningRate * proven); // Eq. 5
  if (antiWindup) integral = Math.min(integral, maxPrice);
  let dual = Math.min(maxPrice, Math.max(0, integral + correction));

  const guarded = guardActs(settings, state, measurement);
  if (guarded) {
    const retained = settings.guard?.action === "lower" ? 1 - settings.guard.lowerBy! : 1;
    integral = Math.min(integral, state.integral * retained);
    dual = Math.min(dual, state.price * tokensPerUnit(settings) * retained);
  }
  return { dual, integral, target, violation, saturated: dual === maxPrice, held, guarded };
}

function guardActs({ guard }: BudgetSettings, state: BudgetState, measurement: BudgetMeasurement): boolean {
  if (guard === null) return false;
  const { rewardTolerance, referenceReward = state.warmup?.reward ?? null, maxSilenceRate } = guard;
  const { taskReward = NaN, silenceRate = NaN } = measurement;
  if (rewardTolerance !== undefined && referenceReward === null)
    throw inputError("budget state: it has no reference reward and belongs to another controller", {
      iteration: state.iteration,
    });
  const tooPoor = rewardTolerance !== undefined && taskReward < referenceReward! - rewardTolerance;
  return tooPoor || (maxSilenceRate !== undefined && silenceRate > maxSilenceRate);
}

export function tokensPerUnit({ unit, targetTokens }: BudgetSettings): number {
  return unit === "budget" ? targetTokens : 1;
}

function violationOf({ unit }: BudgetSettings, tokens: number, target: number): number {
  return unit === "budget" ? tokens / target - 1 : tokens - target;
}

/** Falls linearly from the warm-up cost to B, never above B for a team that keeps it. */
function targetOf({ targetTokens, warmupIterations, annealIterations }: BudgetSettings, state: BudgetState): number {
  const annealed = state.iteration - warmupIterations;
  if (state.warmup === null || annealed >= annealIterations) return targetTokens;
  const left = 1 - annealed / annealIterations;
  return targetTokens + left * Math.max(0, state.warmup.tokens - targetTokens);
}

export function smooth(
  { derivativeSmoothing }: BudgetSettings,
  state: BudgetState,
  { tokens }: BudgetMeasurement,
): number {
  return derivativeSmoothing * (state.smoothedTokens ?? tokens) + (1 - derivativeSmoothing) * tokens;
}
