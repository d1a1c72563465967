import { type Diagnostics, inputError, LaconicError, type Objective, statisticOf } from "@laconic/core";
import { exponential, logarithm } from "@laconic/core/numeric";
import { checkChoice, checkOption } from "./check-option.ts";
import type { Prepared } from "./prepare.ts";

export const importanceKinds = ["truncate", "mask"] as const;
export const importanceLevels = ["token", "sequence", "geometric"] as const;

/** Corrects different log-probs of sampler and trainer: detached ρ = π_old / π_roll multiplies the loss. */
export interface ImportanceOptions {
  /** `truncate` (TIS): min(ρ, C). `mask` (MIS): ρ where 1/C <= ρ <= C, else 0. */
  readonly kind: (typeof importanceKinds)[number];
  /** Token, product over the sequence, or its geometric mean. */
  readonly level: (typeof importanceLevels)[number];
  /** C > 1: 2 in verl and MARTI, 3 in TRL. */
  readonly cap: number;
  /** Drops sequences with a token ρ below this (MARTI: 1e-4). */
  readonly veto?: number;
  /** Corrects only above this mean |log π_old - log π_roll|. */
  readonly gapAbove?: number;
}

export function checkImportance(options: ImportanceOptions | undefined): void {
  if (!options) return;
  const { kind, level, cap, veto = 0.5, gapAbove = 1 } = options;
  checkChoice("importance.kind", kind, importanceKinds);
  checkChoice("importance.level", level, importanceLevels);
  checkOption(cap > 1, "importance.cap", cap, "above 1");
  checkOption(veto > 0 && veto < 1, "importance.veto", veto, "between 0 and 1");
  checkOption(gapAbove > 0, "importance.gapAbove", gapAbove, "above 0");
}

export function importanceSettings(options: ImportanceOptions | undefined): Objective["settings"] {
  if (!options) return { importance: null };
  const { kind, level, cap, veto = null, gapAbove } = options;
  const settings = { importance: kind, importanceLevel: level, importanceCap: cap, importanceVeto: veto };
  return gapAbove ? { ...settings, importanceGapAbove: gapAbove } : settings;
}

/** Tokens on which two engines never agree bit for bit by chance. */
const chanceTokens = 64;

/** Weight per token, with effective sample size (sum ρ)² / (n sum ρ²); null for a small gap. */
export function importanceWeights(
  prepared: Prepared,
  options: ImportanceOptions,
): { readonly weights: Float64Array; readonly diagnostics: Diagnostics } | null {
  const { input, lengths, sequences } = prepared;
  const { logProbs, oldLogProbs, rollLogProbs, mask } = input;
  if (!rollLogProbs) throw inputError("importance weights need rollLogProbs: the log-probs the sampler reported");
  const trained = (t: number) => !mask || mask[t] !== 0;
  const gap = (t: number) => oldLogProbs.values[t]! - rollLogProbs.values[t]!;
  let total = 0;
  let compared = 0;
  for (let t = 0; t < logProbs.values.length; t++) {
    if (!trained(t)) continue;
    total += Math.abs(gap(t));
    compared += 1;
  }
  const { samplerGap = total / Math.max(1, compared) } = prepared.totals;
  if (options.gapAbove !== undefined && samplerGap <= options.gapAbove) return null;
  // Bypass mode uses the sampler's log-probs as old ones.
  const isWhole = compared >= chanceTokens || compared === prepared.totals.tokens;
  if (compared > 0 && samplerGap === 0 && (isWhole || prepared.totals.samplerGap !== undefined))
    throw new LaconicError(
      "objective_refused",
      "importance: rollLogProbs and oldLogProbs are the same values, so π / π_old corrects already; recompute oldLogProbs, or leave importance out",
    );
  const byToken = options.level === "token";
  const weights = new Float64Array(logProbs.values.length);
  const ratios: number[] = [];
  const bound = (logRatio: number) => {
    const ratio = exponential(Math.min(logRatio, 20));
    ratios.push(ratio);
    if (options.kind === "truncate") return Math.min(ratio, options.cap);
    return ratio <= options.cap && ratio >= 1 / options.cap ? ratio : 0;
  };
  for (let s = 0; s < sequences; s++) {
    const [start, end] = [logProbs.offsets[s]!, logProbs.offsets[s + 1]!];
    let sum = 0;
    let lowest = Infinity;
    for (let t = start; t < end; t++) {
      if (!trained(t)) continue;
      const d = gap(t);
      sum += d;
      lowest = Math.min(lowest, d);
    }
    const vetoed = options.veto !== undefined && lowest < logarithm(options.veto);
    const exponent = options.level === "geometric" ? sum / Math.max(1, lengths[s]!) : sum;
    const whole = byToken ? 0 : bound(exponent);
    for (let t = start; t < end; t++) {
      if (!trained(t)) continue;
      const weight = byToken ? bound(gap(t)) : whole;
      weights[t] = vetoed ? 0 : weight;
    }
  }
  const ratio = statisticOf(ratios);
  const squares = ratios.reduce((sum, value) => sum + value * value, 0);
  return {
    weights,
    diagnostics: {
      "sampling/ratio": ratio,
      "sampling/ess": statisticOf(squares > 0 ? [(ratio.sum * ratio.sum) / (ratios.length * squares)] : []),
    },
  };
}

export function checkOffPolicyMask(limit: number): void {
  checkOption(limit > 0, "offPolicyMask", limit, "above 0");
}

/**
 * 1 for sequences with A < 0 and mean log π_roll - log π above the limit, else 0; [S]. Falls back to the old policy's
 * log-probs (TRL 1.13, `get_off_policy_mask`).
 */
export function offPolicySequences(
  { input, advantagePerToken, lengths, sequences }: Prepared,
  limit: number,
): Int8Array {
  const { offsets, values } = input.logProbs;
  const before = (input.rollLogProbs ?? input.oldLogProbs).values;
  return Int8Array.from({ length: sequences }, (_, s) => {
    let drift = 0;
    let advantage = 0;
    for (let t = offsets[s]!; t < offsets[s + 1]!; t++) {
      if (input.mask && input.mask[t] === 0) continue;
      drift += before[t]! - values[t]!;
      advantage += input.advantages[advantagePerToken ? t : s]!;
    }
    return advantage < 0 && drift / Math.max(1, lengths[s]!) > limit ? 1 : 0;
  });
}
