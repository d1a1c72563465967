import {
  configError,
  type Diagnostics,
  inputError,
  type Objective,
  type PolicyNeed,
  policyNeedKey,
  type Ragged,
  statisticOf,
} from "@laconic/core";
import { exponentialMinusOne } from "@laconic/core/numeric";
import { checkChoice, checkOption } from "./check-option.ts";
import { ratioOf } from "./log-ratio.ts";
import type { Prepared } from "./prepare.ts";

export const klEstimators = ["k1", "k2", "k3", "k1+", "k3+"] as const;

/**
 * Estimators of the reverse KL, with e = log π - log π_ref on sampled tokens (Schulman 2020). A plus uses k2's
 * gradient, which is the gradient of the KL.
 */
export type KlEstimator = (typeof klEstimators)[number];

/** KL penalty in the loss. */
export interface KlOptions {
  readonly estimator: KlEstimator;
  /** β > 0. */
  readonly coefficient: number;
  /** Multiplies by the detached π / π_old (DeepSeek-V3.2). Needs `k3+` or `k1+`. */
  readonly biasCorrection?: boolean;
  /** Reference. Default: the initial weights. */
  readonly to?: PolicyNeed;
}

export function klNeeds({ to }: KlOptions): NonNullable<Objective["needs"]> {
  return [to ?? "reference"];
}

/** Tangent of k3 below e = -20: finite, with a gradient to the reference. */
const tangentAt = -20;

/** Value at e. */
export function klValue(estimator: KlEstimator, e: number): number {
  switch (estimator) {
    case "k1":
    case "k1+":
      return e;
    case "k2":
      return (e * e) / 2;
    case "k3":
    case "k3+":
      if (e < tangentAt) return klValue("k3", tangentAt) + (e - tangentAt) * klGradient("k3", tangentAt);
      return exponentialMinusOne(-e) + e;
  }
}

/** d value / d log π, or k2's for a `+` estimator. */
export function klGradient(estimator: KlEstimator, e: number): number {
  switch (estimator) {
    case "k1":
      return 1;
    case "k2":
    case "k1+":
    case "k3+":
      return e;
    case "k3":
      return -exponentialMinusOne(-Math.max(e, tangentAt));
  }
}

export function klSettings(options: KlOptions | undefined): Objective["settings"] {
  if (!options) return { kl: null };
  const { estimator, coefficient, biasCorrection = false, to } = options;
  const settings = { kl: estimator, klCoefficient: coefficient, klBiasCorrection: biasCorrection };
  return to ? { ...settings, klTo: policyNeedKey(to) } : settings;
}

/** @throws LaconicError `config_invalid` for an ineffective or biased term */
export function checkKl(options: KlOptions | undefined): void {
  if (!options) return;
  const { coefficient } = options;
  checkOption(
    coefficient > 0 && coefficient < Infinity,
    "kl.coefficient",
    coefficient,
    "above 0; leave kl out for none",
  );
  checkChoice("kl.estimator", options.estimator, klEstimators);
  if (options.estimator === "k1")
    throw configError(
      "kl.estimator k1 in a loss has a gradient of mean 0; put it in the reward, or use k2, k3+ or k1+",
    );
  if (options.biasCorrection && !options.estimator.endsWith("+"))
    throw configError(
      `kl.biasCorrection cannot correct ${options.estimator}, whose ${options.estimator === "k2" ? "value" : "gradient"} is biased on the policy's own samples too; use k3+ or k1+`,
    );
}

function targetOf({ input }: Prepared, { to }: KlOptions): Ragged {
  const key = to && policyNeedKey(to);
  const ragged = key === undefined ? input.refLogProbs : input.policyLogProbs?.[key];
  if (ragged) return ragged;
  const what = key === undefined ? "refLogProbs" : `policyLogProbs["${key}"]`;
  throw inputError(`the KL term needs ${what}`);
}

/**
 * Adds the KL term.
 * @param weights - token weight per sequence, [S]
 * @throws LaconicError `input_invalid` without the reference's log-probs
 */
export function addKl(
  prepared: Prepared,
  options: KlOptions,
  weights: Float64Array,
  losses: Float64Array,
  gradient: Float64Array,
): Diagnostics {
  const { logProbs, mask } = prepared.input;
  const refLogProbs = targetOf(prepared, options);
  const values: number[] = [];
  for (let s = 0; s < prepared.sequences; s++) {
    const weight = options.coefficient * weights[s]!;
    for (let t = logProbs.offsets[s]!; t < logProbs.offsets[s + 1]!; t++) {
      if (mask && mask[t] === 0) continue;
      const e = logProbs.values[t]! - refLogProbs.values[t]!;
      const value = klValue(options.estimator, e);
      const ratio = options.biasCorrection ? ratioOf(prepared.logRatio[t]!) : 1;
      values.push(value);
      losses[t] = losses[t]! + weight * ratio * value;
      gradient[t] = gradient[t]! + weight * ratio * klGradient(options.estimator, e);
    }
  }
  return { kl: statisticOf(values) };
}
