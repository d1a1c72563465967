import { total } from "./numbers.ts";
import { bounded, objectives, type ObjectiveSettings, type UnitRow } from "./objectives.ts";
import { correction, type ImportanceSettings } from "./sample-weights.ts";

/** Loss of a batch, its gradient by token, and what happened in it. */
export interface BatchLoss {
  readonly loss: number;
  /** d loss / d log π of every token of every unit. */
  readonly dLogProbs: readonly (readonly number[])[];
  readonly facts: LossFacts;
}

/** Lists that metrics are made of: over optimiser steps they are joined. */
export interface LossFacts {
  readonly ratios: number[];
  /** By ratio: -1, 0 or 1. */
  readonly clipped: number[];
  /** Tokens behind each ratio where it is of a whole unit. */
  readonly lengths: number[];
  clamped: number;
  readonly empty: number[];
  /** log π - log π_old by token. */
  readonly drift: number[];
  readonly kl: number[];
  readonly weights: number[];
  readonly dropped: number[];
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

/** Value and gradient of a KL estimator at e = log π - log π_ref (Schulman 2020); k3 goes on as its tangent below -20. */
function klOf(estimator: string, e: number): readonly [value: number, dLogProb: number] {
  const at = Math.max(e, -20);
  const k3 = Math.expm1(-at) + at + (e - at) * -Math.expm1(-at);
  const value = estimator.startsWith("k1") ? e : estimator === "k2" ? (e * e) / 2 : k3;
  const dLogProb = estimator === "k1" ? 1 : estimator === "k3" ? -Math.expm1(-at) : e;
  return [value, dLogProb];
}

/**
 * The loss of one optimiser step; null for an objective that this audit does not know.
 * @param importance - how samples are weighted in this step; undefined where they are not
 */
export function lossOf(
  units: readonly UnitRow[],
  settings: ObjectiveSettings,
  importance: ImportanceSettings | undefined,
): BatchLoss | null {
  const { name, kl, offPolicyMask } = settings;
  const objective = Object.hasOwn(objectives, name) ? objectives[name] : undefined;
  if (!objective) return null;
  const rule = objective.rule(settings);
  const weights = weightsOf(units, settings.aggregation ?? objective.aggregation, settings.constantLength ?? 1);
  const facts: LossFacts = {
    ratios: [],
    clipped: [],
    lengths: [],
    clamped: 0,
    empty: [],
    drift: [],
    kl: [],
    weights: [],
    dropped: [],
  };
  let loss = 0;
  const dLogProbs = units.map((unit, u): number[] => {
    const drift = unit.now.map((value, t) => value - (unit.old[t] as number));
    facts.empty.push(drift.length === 0 ? 1 : 0);
    facts.drift.push(...drift);
    if (drift.length === 0) return [];
    const { terms, ratios } = rule(unit, drift);
    for (const { ratio, side, isBeyond, length } of ratios) {
      facts.ratios.push(ratio);
      facts.clipped.push(side);
      facts.clamped += isBeyond ? 1 : 0;
      if (length !== undefined) facts.lengths.push(length);
    }
    const weight = weights[u] as number;
    const rho = importance && correction(importance, unit);
    if (rho) facts.weights.push(...rho.ratios);
    const isOff = offPolicyMask !== undefined && isOffPolicy(unit, offPolicyMask);
    if (offPolicyMask !== undefined) facts.dropped.push(isOff ? 1 : 0);
    return terms.map((term, t) => {
      const scale = isOff ? 0 : weight * (rho ? (rho.weights[t] as number) : 1);
      const isFlat = ratios[ratios.length === 1 ? 0 : t]?.isBeyond && !objective.keepsGradient;
      let dLogProb = isFlat ? 0 : scale * term.dLogProb;
      loss += scale * term.loss;
      if (kl && unit.ref) {
        const [value, d] = klOf(kl.estimator, (unit.now[t] as number) - (unit.ref[t] as number));
        const factor = kl.coefficient * weight * (kl.biasCorrection ? bounded(drift[t] as number) : 1);
        facts.kl.push(value);
        loss += factor * value;
        dLogProb += factor * d;
      }
      return dLogProb;
    });
  });
  return { loss, dLogProbs, facts };
}

/** DeepSeek-V3.2: A < 0, and the mean of log π_sampler - log π is above the limit. */
function isOffPolicy({ advantages, now, sampled }: UnitRow, limit: number): boolean {
  const drift = sampled.map((value, t) => value - (now[t] as number));
  return total(advantages) < 0 && total(drift) / Math.max(1, drift.length) > limit;
}
