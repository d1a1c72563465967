import {
  exponential,
  LaconicError,
  logarithm,
  statisticOf,
  type Diagnostics,
  type Objective,
  type Ragged,
} from "@laconic/core";
import type { Prepared } from "./prepare.ts";

/** Correction for a sampler whose log-probs differ from the trainer's: ρ = π_old / π_roll, detached, multiplies the loss. */
export interface ImportanceOptions {
  /** `truncate` (TIS): min(ρ, C). `mask` (MIS): ρ where 1/C <= ρ <= C, else 0. */
  readonly kind: "truncate" | "mask";
  /** Per token, product over the sequence, or its geometric mean. */
  readonly level: "token" | "sequence" | "geometric";
  /** C > 1: 2 in verl and MARTI, 3 in TRL. */
  readonly cap: number;
  /** Drop a sequence that holds a token with ρ below this (MARTI: 1e-4). */
  readonly veto?: number;
  /**
   * Correct only where the mean |log π_old - log π_roll| of what is evaluated together is above this: a sampler in step with
   * the trainer is left alone.
   */
  readonly gapAbove?: number;
}

/** @throws LaconicError `config_invalid`. */
export function checkImportance(options: ImportanceOptions | undefined): void {
  if (!options) return;
  if (!(options.cap > 1))
    throw new LaconicError("config_invalid", `importance.cap is ${options.cap}: it must be above 1`);
  if (options.veto !== undefined && !(options.veto > 0 && options.veto < 1))
    throw new LaconicError("config_invalid", `importance.veto is ${options.veto}: it must be between 0 and 1`);
  if (options.gapAbove !== undefined && !(options.gapAbove > 0))
    throw new LaconicError("config_invalid", `importance.gapAbove is ${options.gapAbove}: it must be above 0`);
}

/** As flat facts for the run record. */
export function importanceSettings(options: ImportanceOptions | undefined): Objective["settings"] {
  if (!options) return { importance: null };
  const { kind, level, cap, veto = null, gapAbove = null } = options;
  return {
    ...{ importance: kind, importanceLevel: level, importanceCap: cap, importanceVeto: veto },
    ...(gapAbove !== null && { importanceGapAbove: gapAbove }),
  };
}

/** No two engines agree to the last bit on this many tokens by chance. */
const chanceTokens = 64;

/** Bypass mode: the sampler's log-probs serve as old ones, so π / π_old is the whole correction already. */
function refuseBypass({ input, totals }: Prepared, rollLogProbs: Ragged): void {
  const trained = (t: number): boolean => !input.mask || input.mask[t] !== 0;
  const { values } = input.oldLogProbs;
  let compared = 0;
  for (let t = 0; t < values.length; t++) {
    if (!trained(t)) continue;
    if (values[t] !== rollLogProbs.values[t]) return;
    compared += 1;
  }
  // Two float32 engines may agree on the few tokens of a micro-batch.
  if (compared >= chanceTokens || (compared > 0 && compared === totals.tokens))
    throw new LaconicError(
      "objective_refused",
      "importance: rollLogProbs and oldLogProbs are the same values, so π / π_old corrects for the sampler already; recompute oldLogProbs with the trainer, or leave importance out",
    );
}

/** Whether sampler and trainer differ so much that samples have to be weighed. */
export function needsImportance({ input }: Prepared, { gapAbove }: ImportanceOptions): boolean {
  const { oldLogProbs, rollLogProbs, mask } = input;
  if (gapAbove === undefined || !rollLogProbs) return true;
  let [sum, count] = [0, 0];
  oldLogProbs.values.forEach((value, t) => {
    if (mask && mask[t] === 0) return;
    sum += Math.abs(value - (rollLogProbs.values[t] as number));
    count += 1;
  });
  return sum > gapAbove * count;
}

/** Weight per token, with the effective sample size (sum ρ)² / (n sum ρ²) among the diagnostics. */
export function importanceWeights(
  prepared: Prepared,
  options: ImportanceOptions,
): { readonly weights: Float64Array; readonly diagnostics: Diagnostics } {
  const { input, lengths, sequences } = prepared;
  const { logProbs, oldLogProbs, rollLogProbs, mask } = input;
  if (!rollLogProbs)
    throw new LaconicError("input_invalid", "importance weights need rollLogProbs: the log-probs the sampler reported");
  refuseBypass(prepared, rollLogProbs);
  const weights = new Float64Array(logProbs.values.length);
  const ratios: number[] = [];
  const bound = (ratio: number): number => {
    ratios.push(ratio);
    if (options.kind === "truncate") return Math.min(ratio, options.cap);
    return ratio <= options.cap && ratio >= 1 / options.cap ? ratio : 0;
  };
  const trained = (t: number): boolean => !mask || mask[t] !== 0;
  const gap = (t: number): number => (oldLogProbs.values[t] as number) - (rollLogProbs.values[t] as number);
  for (let s = 0; s < sequences; s++) {
    const [start, end] = [logProbs.offsets[s] as number, logProbs.offsets[s + 1] as number];
    let [sum, lowest] = [0, Infinity];
    for (let t = start; t < end; t++) {
      if (!trained(t)) continue;
      const d = gap(t);
      sum += d;
      lowest = Math.min(lowest, d);
    }
    const vetoed = options.veto !== undefined && lowest < logarithm(options.veto);
    const exponent = options.level === "geometric" ? sum / Math.max(1, lengths[s] as number) : sum;
    const whole = options.level === "token" ? 0 : bound(exponential(Math.min(exponent, 20)));
    for (let t = start; t < end; t++) {
      if (!trained(t)) continue;
      const weight = options.level === "token" ? bound(exponential(Math.min(gap(t), 20))) : whole;
      weights[t] = vetoed ? 0 : weight;
    }
  }
  const total = ratios.reduce((sum, ratio) => sum + ratio, 0);
  const squares = ratios.reduce((sum, ratio) => sum + ratio * ratio, 0);
  return {
    weights,
    diagnostics: {
      "sampling/ratio": statisticOf(ratios),
      "sampling/ess": statisticOf(squares > 0 ? [(total * total) / (ratios.length * squares)] : []),
    },
  };
}
