import { LaconicError, statisticOf, type Diagnostics } from "@laconic/core";
import { klGradient, klValue, type KlOptions } from "./kl.ts";
import { ratioOf } from "./log-ratio.ts";
import type { Prepared } from "./prepare.ts";

/**
 * Adds the KL term to losses and gradient, token by token.
 * @param weights - of each sequence's tokens, [S]
 * @throws LaconicError `input_invalid` without `refLogProbs`.
 */
export function addKl(
  prepared: Prepared,
  options: KlOptions,
  weights: Float64Array,
  losses: Float64Array,
  gradient: Float64Array,
): Diagnostics {
  const { logProbs, refLogProbs, mask } = prepared.input;
  if (!refLogProbs) throw new LaconicError("input_invalid", "the KL term needs refLogProbs");
  const values: number[] = [];
  for (let s = 0; s < prepared.sequences; s++) {
    const weight = options.coefficient * (weights[s] as number);
    for (let t = logProbs.offsets[s] as number; t < (logProbs.offsets[s + 1] as number); t++) {
      if (mask && mask[t] === 0) continue;
      const e = (logProbs.values[t] as number) - (refLogProbs.values[t] as number);
      const value = klValue(options.estimator, e);
      const ratio = options.biasCorrection ? ratioOf(prepared.logRatio[t] as number) : 1;
      values.push(value);
      losses[t] = (losses[t] as number) + weight * ratio * value;
      gradient[t] = (gradient[t] as number) + weight * ratio * klGradient(options.estimator, e);
    }
  }
  return { kl: statisticOf(values) };
}
