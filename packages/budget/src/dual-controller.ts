import { LaconicError } from "@laconic/core";
import { control, smooth, tokensPerUnit, warmUp } from "./control-law.ts";
import { checkMeasurement, type BudgetMeasurement } from "./measurement.ts";
import type { BudgetOptions } from "./options.ts";
import { resolveSettings, type BudgetSettings } from "./settings.ts";
import type { BudgetState } from "./state.ts";

/** Diagnostics with flags as 0 or 1, logged as `dual/<name>`. */
export interface BudgetDiagnostics {
  /** λ of the next iteration. */
  readonly lambda: number;
  /** B, or more while annealing. */
  readonly target: number;
  /** u in `settings.unit`; positive over budget. */
  readonly violation: number;
  readonly slack: number;
  readonly warmup: 0 | 1;
  /** Price at its maximum. */
  readonly saturated: 0 | 1;
  /** A truncated cost below its target does not lower the price. */
  readonly held: 0 | 1;
  readonly guarded: 0 | 1;
}

export interface BudgetStep {
  readonly state: BudgetState;
  readonly price: number;
  readonly diagnostics: BudgetDiagnostics;
}

/** Adjusts the token price until the team keeps its budget. Pure. */
export interface BudgetController {
  readonly settings: BudgetSettings;
  init(): BudgetState;
  /** @throws LaconicError `numeric_invalid` for overflows and invalid measurements; `input_invalid` */
  step(state: BudgetState, measurement: BudgetMeasurement): BudgetStep;
}

/**
 * Agent-GSPO Eq. 5, λ ← max(0, λ + η (mean tokens - B)). Optional: warm-up, annealed target, anti-windup, PID terms
 * (PID Lagrangian, Stooke et al. 2020), and a guard against silence.
 * @throws LaconicError `config_invalid`
 */
export function dualController(options: BudgetOptions): BudgetController {
  const settings = resolveSettings(options);
  const tokens = tokensPerUnit(settings);
  return {
    settings,
    init: () => ({
      iteration: 0,
      price: (settings.warmupIterations > 0 ? settings.warmupPrice : settings.initialPrice) / tokens,
      integral: settings.initialPrice,
      smoothedTokens: null,
      warmup: null,
    }),
    step(state, measurement) {
      checkMeasurement(measurement, settings);
      const warmingUp = state.iteration < settings.warmupIterations;
      const next = warmingUp ? warmUp(settings, state, measurement) : control(settings, state, measurement);
      const price = next.dual / tokens;
      const smoothedTokens = smooth(settings, state, measurement);
      const warmup = warmingUp ? meanSoFar(settings, state, measurement) : state.warmup;
      const { integral, violation } = next;
      checkFinite(state.iteration, { price, integral, violation, smoothedTokens, ...warmup });
      return {
        price,
        state: { iteration: state.iteration + 1, price, integral, smoothedTokens, warmup },
        diagnostics: {
          lambda: price,
          target: next.target,
          violation: next.violation,
          slack: settings.targetTokens - measurement.tokens,
          warmup: flag(warmingUp),
          saturated: flag(next.saturated),
          held: flag(next.held),
          guarded: flag(next.guarded),
        },
      };
    },
  };
}

/** @throws LaconicError `numeric_invalid` for values that JSON cannot store */
function checkFinite(iteration: number, values: Readonly<Record<string, number | null>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === null || Number.isFinite(value)) continue;
    const advice = name === "price" ? "set budget.maxPrice" : "its settings and measurements are too far apart";
    throw new LaconicError("numeric_invalid", `budget: the ${name} became ${value}; ${advice}`, { iteration, name });
  }
}

function meanSoFar(
  { guard }: BudgetSettings,
  { iteration, warmup }: BudgetState,
  { tokens, taskReward }: BudgetMeasurement,
): BudgetState["warmup"] {
  const mean = (before: number, value: number) => before + (value - before) / (iteration + 1);
  return {
    tokens: mean(warmup?.tokens ?? 0, tokens),
    reward: guard?.rewardTolerance === undefined ? null : mean(warmup?.reward ?? 0, taskReward ?? NaN),
  };
}

const flag = (value: boolean): 0 | 1 => (value ? 1 : 0);
