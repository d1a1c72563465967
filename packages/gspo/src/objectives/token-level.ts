import { configError, type Objective } from "@laconic/core";
import { aggregations, type Aggregation } from "../aggregation.ts";
import { checkChoice } from "../check-option.ts";
import { isClamped, ratioOf } from "../log-ratio.ts";
import { advantageAt, type Prepared } from "../prepare.ts";
import { assemble, type CommonOptions, type PolicyTerm } from "./assemble.ts";

export interface TokenTerm {
  loss: number;
  dLogProb: number;
  clipped: -1 | 0 | 1;
}

/** Writes the loss of a token with ratio w = π / π_old and advantage A. */
export type TokenLoss = (ratio: number, advantage: number, logProb: number, out: TokenTerm) => void;

/** Options of token-level objectives. */
export interface TokenLevelOptions extends CommonOptions {
  readonly aggregation?: Aggregation;
  /** L of `seq-mean-token-sum-norm`. */
  readonly constantLength?: number;
}

/** @throws LaconicError `config_invalid` for a constant without its aggregation */
export function tokenObjective(
  name: string,
  settings: Objective["settings"],
  options: TokenLevelOptions & { readonly aggregation: Aggregation; readonly ratioDetached?: boolean },
  loss: TokenLoss,
): Objective {
  const { aggregation, constantLength, ratioDetached = false } = options;
  checkChoice(`${name}: aggregation`, aggregation, aggregations);
  const needsLength = aggregation === "seq-mean-token-sum-norm";
  if (needsLength !== (constantLength !== undefined) || (needsLength && !isPositive(constantLength)))
    throw configError(
      `${name}: constantLength is ${needsLength ? "needed (above 0) by" : "without effect unless the aggregation is"} seq-mean-token-sum-norm`,
    );
  return assemble({
    ...options,
    name,
    settings: { ...settings, aggregation, ...(needsLength && { constantLength: constantLength! }) },
    policy: (prepared, weights) => tokenTerms(prepared, weights, loss, ratioDetached),
  });
}

const isPositive = (value = NaN) => value > 0 && value < Infinity;

function tokenTerms(prepared: Prepared, weights: Float64Array, loss: TokenLoss, ratioDetached: boolean): PolicyTerm {
  const { input, logRatio, sequences } = prepared;
  const { logProbs, mask } = input;
  const tokens = logProbs.values.length;
  const losses = new Float64Array(tokens);
  const gradient = new Float64Array(tokens);
  const ratios = new Float64Array(tokens);
  const clipped = new Int8Array(tokens);
  const term: TokenTerm = { loss: 0, dLogProb: 0, clipped: 0 };
  let count = 0;
  let clamped = 0;
  for (let s = 0; s < sequences; s++) {
    const weight = weights[s]!;
    const end = logProbs.offsets[s + 1]!;
    for (let t = logProbs.offsets[s]!; t < end; t++) {
      if (mask && mask[t] === 0) continue;
      const ratio = ratioOf(logRatio[t]!);
      const constant = isClamped(logRatio[t]!);
      loss(ratio, advantageAt(prepared, s, t), logProbs.values[t]!, term);
      losses[t] = weight * term.loss;
      gradient[t] = constant && !ratioDetached ? 0 : weight * term.dLogProb;
      ratios[count] = ratio;
      clipped[count] = term.clipped;
      if (constant) clamped += 1;
      count += 1;
    }
  }
  return { losses, gradient, ratios: ratios.subarray(0, count), clipped: clipped.subarray(0, count), clamped };
}
