import { total } from "./costs.ts";
import { correction, type SampledUnit } from "./sample-weights.ts";
import type { ImportanceSettings, ObjectiveSettings } from "./settings.ts";

/** One unit of a ratio: a reply, or all that is joined to one. */
export interface UnitRow extends SampledUnit {
  /** log π and log π_ref of its tokens. */
  readonly now: readonly number[];
  readonly ref: readonly number[] | null;
  /** Of each token. */
  readonly advantages: readonly number[];
  readonly problem: number;
}

/** Loss of a batch, its slope by token, and what happened in it. */
export interface BatchLoss {
  readonly loss: number;
  /** d loss / d log π of every token of every unit. */
  readonly slopes: readonly (readonly number[])[];
  readonly facts: LossFacts;
}

/** Lists that metrics are made of: over optimiser steps they are joined. */
export interface LossFacts {
  readonly ratios: number[];
  /** By ratio: -1, 0 or 1. */
  readonly clipped: number[];
  /** Tokens behind each ratio where it is of a whole unit. */
  readonly lengths: number[];
  readonly clamped: number;
  readonly empty: number[];
  /** log π - log π_old by token. */
  readonly drift: number[];
  readonly kl: number[];
  readonly weights: number[];
  readonly ess: number[];
  readonly dropped: number[];
}

/** Exponentials are of at most ±20. */
const bounded = (x: number): number => Math.exp(Math.max(-20, Math.min(20, x)));
const isBeyond = (x: number): boolean => Math.abs(x) > 20;

/** Of one token: what the loss is, its slope, the ratio, and the side it was clipped on. */
interface Term {
  readonly loss: number;
  readonly dLogProb: number;
  readonly side: number;
}

/** min(w A, clip(w) A) with its slope -w A, which an active clip takes away. */
function clippedTerm(w: number, A: number, low: number, high: number): Term {
  if (A > 0 && w > 1 + high) return { loss: -(1 + high) * A, dLogProb: 0, side: 1 };
  if (A < 0 && w < 1 - low) return { loss: -(1 - low) * A, dLogProb: 0, side: -1 };
  return { loss: -w * A, dLogProb: -w * A, side: 0 };
}

type TokenRule = (w: number, A: number, logProb: number) => Term;

/** Objectives with a ratio for each token (docs: papers), with their default aggregation; `keeps` has a slope where w is bounded. */
function tokenRule(o: ObjectiveSettings): { rule: TokenRule; aggregation: string; keeps?: boolean } | null {
  const grpo = (low: number, high: number): TokenRule => {
    const cap = o.dualClip ?? o.maxRatio ?? Number.POSITIVE_INFINITY;
    return (w, A) => (A < 0 && w > cap ? { loss: -cap * A, dLogProb: 0, side: 1 } : clippedTerm(w, A, low, high));
  };
  const { low, high } = o.clip ?? { low: 0.2, high: o.name === "dapo" ? 0.28 : 0.2 };
  switch (o.name) {
    case "grpo":
      return { rule: grpo(low, high), aggregation: o.aggregation ?? "seq-mean-token-mean" };
    case "dr-grpo":
      return { rule: grpo(low, high), aggregation: "seq-mean-token-sum-norm" };
    case "dapo":
      return { rule: grpo(low, high), aggregation: "token-mean" };
    case "reinforce":
      return {
        rule: (_, A, logProb) => ({ loss: -A * logProb, dLogProb: -A, side: 0 }),
        aggregation: o.aggregation ?? "token-mean",
        keeps: true,
      };
    case "cispo": {
      const [least, largest] = [o.minRatio ?? 0, o.maxRatio ?? 5];
      return {
        rule: (w, A, logProb) => {
          const kept = Math.max(least, Math.min(largest, w));
          const side = A === 0 || kept === w ? 0 : w > largest ? 1 : -1;
          return { loss: -kept * A * logProb, dLogProb: -kept * A, side };
        },
        aggregation: o.aggregation ?? "token-mean",
        keeps: true,
      };
    }
    case "sapo":
      return {
        rule: (w, A) => {
          const tau = A > 0 ? (o.positiveTemperature ?? 1) : (o.negativeTemperature ?? 1.05);
          const q = 1 / (1 + Math.exp(tau * (1 - w)));
          return { loss: (-A * 4 * q) / tau, dLogProb: -A * w * 4 * q * (1 - q), side: 0 };
        },
        aggregation: o.aggregation ?? "seq-mean-token-mean",
      };
    default:
      return null;
  }
}

/** A unit's terms by token, its ratio, and whether that was bounded. */
interface UnitTerms {
  readonly terms: readonly Term[];
  readonly ratio: number;
  readonly side: number;
  readonly beyond: boolean;
}

type UnitRule = (unit: UnitRow, drift: readonly number[]) => UnitTerms;

/** Objectives with one ratio for each unit. `keeps` has a slope where the ratio is bounded. */
function unitRule(o: ObjectiveSettings): { rule: UnitRule; aggregation: string; keeps?: boolean } | null {
  const A = ({ advantages }: UnitRow): number => advantages[0] ?? 0;
  switch (o.name) {
    case "gspo":
    case "luspo": {
      const { low, high } = o.clip ?? (o.name === "gspo" ? { low: 3e-4, high: 4e-4 } : { low: 2e-3, high: 2.5e-3 });
      const rule: UnitRule = (unit, drift) => {
        const n = drift.length;
        const divisor = o.name === "gspo" ? Math.max(n, o.minLength ?? 1) : n;
        const s = total(drift) / divisor;
        const term = clippedTerm(bounded(s), A(unit), low, high);
        const shrunk = { ...term, dLogProb: (term.dLogProb * n) / divisor };
        return { terms: drift.map(() => shrunk), ratio: bounded(s), side: term.side, beyond: isBeyond(s) };
      };
      return { rule, aggregation: o.name === "gspo" ? "seq-mean-token-mean" : "seq-mean-token-sum" };
    }
    case "gmpo": {
      const { low, high } = o.clip ?? { low: 0.4, high: 0.4 };
      const rule: UnitRule = (unit, drift) => {
        const a = A(unit);
        const kept = drift.map((d) => (a > 0 ? Math.min(d, high) : a < 0 ? Math.max(d, -low) : d));
        const s = total(kept) / kept.length;
        const terms = kept.map((b, t) => ({
          loss: -bounded(s) * a,
          side: 0,
          dLogProb: b === drift[t] ? -bounded(s) * a : 0,
        }));
        const outside = kept.some((b, t) => b !== drift[t]);
        return { terms, ratio: bounded(s), side: outside ? Math.sign(a) : 0, beyond: isBeyond(s) };
      };
      return { rule, aggregation: "seq-mean-token-mean" };
    }
    case "vespo": {
      const rule: UnitRule = (unit, drift) => {
        const a = A(unit);
        const sum = total(drift);
        const logW = Math.min(20, Math.max(Math.log(1e-8), sum));
        const [k, lambda] = a >= 0 ? (o.positive ?? [2, 3]) : (o.negative ?? [3, 2]);
        const phi = Math.exp(lambda) * Math.exp(k * logW) * Math.exp(-lambda * Math.exp(logW));
        const terms = unit.now.map((logProb) => ({ loss: -phi * a * logProb, dLogProb: -phi * a, side: 0 }));
        return { terms, ratio: Math.exp(logW), side: 0, beyond: logW !== sum };
      };
      return { rule, aggregation: "token-mean", keeps: true };
    }
    case "magrpo": {
      const rule: UnitRule = (unit, drift) => {
        const terms = unit.now.map((logProb) => ({ loss: -A(unit) * logProb, dLogProb: -A(unit), side: 0 }));
        const s = total(drift) / drift.length;
        return { terms, ratio: bounded(s), side: 0, beyond: isBeyond(s) };
      };
      return { rule, aggregation: "seq-mean-token-sum", keeps: true };
    }
    default:
      return null;
  }
}

/** Weight of a token of each unit. */
function weightsOf(units: readonly UnitRow[], aggregation: string, constantLength: number): number[] {
  const spoken = units.filter(({ now }) => now.length > 0);
  const tokens = total(spoken.map(({ now }) => now.length));
  const N = spoken.length;
  const problems = new Set(spoken.map(({ problem }) => problem)).size;
  return units.map(({ now, problem }) => {
    switch (aggregation) {
      case "seq-mean-token-mean":
        return 1 / N / now.length;
      case "token-mean":
        return 1 / tokens;
      case "seq-mean-token-sum":
        return 1 / N;
      case "seq-mean-token-sum-norm":
        return 1 / N / constantLength;
      case "prompt-mean":
        return 1 / problems / total(spoken.filter((each) => each.problem === problem).map((each) => each.now.length));
      default:
        return 1;
    }
  });
}

/** Value and slope of a KL estimator at e = log π - log π_ref (Schulman 2020); k3 goes on as its tangent below -20. */
function klOf(estimator: string, e: number): readonly [value: number, slope: number] {
  const at = Math.max(e, -20);
  const k3 = Math.expm1(-at) + at + (e - at) * -Math.expm1(-at);
  const value = estimator.startsWith("k1") ? e : estimator === "k2" ? (e * e) / 2 : k3;
  const dLogProb = estimator === "k1" ? 1 : estimator === "k3" ? -Math.expm1(-at) : e;
  return [value, dLogProb];
}

/**
 * The loss of one optimiser step; null for an objective that this audit does not know.
 * @param importance - how samples are weighed in this step; undefined where they are not
 */
export function lossOf(
  units: readonly UnitRow[],
  objective: ObjectiveSettings,
  importance: ImportanceSettings | undefined,
): BatchLoss | null {
  const byToken = tokenRule(objective);
  const byUnit =
    unitRule(objective) ?? (objective.name === "gspo-token" ? { aggregation: "seq-mean-token-mean" } : null);
  const known = byToken ?? byUnit;
  if (!known) return null;
  const weights = weightsOf(units, known.aggregation, objective.constantLength ?? 1);
  const facts: LossFacts & { clamped: number } = {
    ratios: [],
    clipped: [],
    lengths: [],
    clamped: 0,
    empty: [],
    drift: [],
    kl: [],
    weights: [],
    ess: [],
    dropped: [],
  };
  let loss = 0;
  const slopes = units.map((unit, u): number[] => {
    const drift = unit.now.map((value, t) => value - (unit.old[t] as number));
    facts.empty.push(drift.length === 0 ? 1 : 0);
    facts.drift.push(...drift);
    const terms = termsOf(objective, unit, drift, facts, byToken, byUnit);
    const weight = weights[u] as number;
    const rho = importance && correction(importance, unit);
    if (rho) facts.weights.push(...rho.ratios);
    const isOff = objective.offPolicyMask !== undefined && isOffPolicy(unit, drift, objective.offPolicyMask);
    if (objective.offPolicyMask !== undefined) facts.dropped.push(isOff ? 1 : 0);
    return terms.map((term, t) => {
      const scale = isOff ? 0 : weight * (rho ? (rho.weights[t] as number) : 1);
      let dLogProb = scale * term.dLogProb;
      loss += scale * term.loss;
      if (objective.kl && unit.ref) {
        const { estimator, coefficient, biasCorrection } = objective.kl;
        const [value, d] = klOf(estimator, (unit.now[t] as number) - (unit.ref[t] as number));
        const factor = coefficient * weight * (biasCorrection ? bounded(drift[t] as number) : 1);
        facts.kl.push(value);
        loss += factor * value;
        dLogProb += factor * d;
      }
      return dLogProb;
    });
  });
  const squares = total(facts.weights.map((each) => each * each));
  if (importance && squares > 0) facts.ess.push(total(facts.weights) ** 2 / facts.weights.length / squares);
  return { loss, slopes, facts };
}

function termsOf(
  objective: ObjectiveSettings,
  unit: UnitRow,
  drift: readonly number[],
  facts: LossFacts & { clamped: number },
  byToken: ReturnType<typeof tokenRule>,
  byUnit: ReturnType<typeof unitRule> | { readonly aggregation: string } | null,
): readonly Term[] {
  if (drift.length === 0) return [];
  if (byToken)
    return drift.map((d, t) => {
      const term = byToken.rule(bounded(d), unit.advantages[t] as number, unit.now[t] as number);
      facts.ratios.push(bounded(d));
      facts.clipped.push(term.side);
      if (isBeyond(d)) facts.clamped += 1;
      return isBeyond(d) && !byToken.keeps ? { ...term, dLogProb: 0 } : term;
    });
  if (byUnit && "rule" in byUnit) {
    const { terms, ratio, side, beyond } = byUnit.rule(unit, drift);
    facts.ratios.push(ratio);
    facts.clipped.push(side);
    facts.lengths.push(drift.length);
    if (beyond) facts.clamped += 1;
    return beyond && !byUnit.keeps ? terms.map((term) => ({ ...term, dLogProb: 0 })) : terms;
  }
  // GSPO-token: the unit's ratio, clipped token by token with the token's own advantage.
  const { low, high } = objective.clip ?? { low: 3e-4, high: 4e-4 };
  const divisor = Math.max(drift.length, objective.minLength ?? 1);
  const s = total(drift) / divisor;
  return drift.map((_, t) => {
    const term = clippedTerm(bounded(s), unit.advantages[t] as number, low, high);
    facts.ratios.push(bounded(s));
    facts.clipped.push(term.side);
    if (isBeyond(s)) facts.clamped += 1;
    return { ...term, dLogProb: isBeyond(s) ? 0 : (term.dLogProb * drift.length) / divisor };
  });
}

/** DeepSeek-V3.2: A < 0, and the mean of log π_old - log π is above the limit. */
function isOffPolicy({ advantages }: UnitRow, drift: readonly number[], limit: number): boolean {
  return total(advantages) < 0 && -total(drift) / Math.max(1, drift.length) > limit;
}
