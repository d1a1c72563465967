import { LaconicError, type Objective } from "@laconic/core";
import type { Aggregation } from "../aggregation.ts";
import { checkOption } from "../check-option.ts";
import { isClamped, meanLogRatio, ratioOf } from "../log-ratio.ts";
import { advantageAt, type Prepared } from "../prepare.ts";
import { assemble, type CommonOptions, type PolicyTerm } from "./assemble.ts";
import { checkClip, clippedRatio, clippedSide, type ClipRange } from "./clip-range.ts";
import { clippedTerm, refuseTokenImportance, sequenceObjective } from "./sequence-level.ts";

/** Range of the GSPO paper. */
export const gspoClip: ClipRange = { low: 3e-4, high: 4e-4 };

/** Clipping and aggregation of GSPO. */
export interface GspoOptions extends CommonOptions {
  /** Default {@link gspoClip}, for learning rates of 1e-6. */
  readonly clip?: ClipRange;
  /** Refuses all but `seq-mean-token-mean`. */
  readonly aggregation?: Aggregation;
  /** Min |y| in the exponent 1/|y|, so that noise does not clip short messages. Default 1 (Eq. 3). */
  readonly minLength?: number;
}

/**
 * GSPO (Agent-GSPO Eq. 3-4): s = exp((1/|y|) sum_t log π/π_old), L_i = -min(s A, clip(s, 1 - low, 1 + high) A). d L / d
 * log π_t = -s A / (N |y|), 0 when clipped.
 * @throws LaconicError `objective_refused` for another aggregation, `config_invalid`
 */
export function gspo(options: GspoOptions = {}): Objective {
  const { clip, minLength } = resolve("gspo", options);
  const settings = { clipLow: clip.low, clipHigh: clip.high, minLength };
  return sequenceObjective("gspo", settings, "seq-mean-token-mean", options, ({ logRatio, length, advantage }) => {
    const divisor = Math.max(length, minLength);
    const term = clippedTerm(meanLogRatio(logRatio, divisor), advantage, clip);
    // The token weight includes 1/|y|; a raised divisor shrinks the gradient further.
    return { ...term, dLogProb: (term.dLogProb * length) / divisor };
  });
}

/**
 * GSPO-token: each token has sg[s] π / sg[π], so advantages may differ within a sequence. Gradient -s A_t / (N |y|),
 * clipped per token by the sign of A_t; equal advantages give GSPO (GSPO paper, section 4.3).
 */
export function gspoToken(options: GspoOptions = {}): Objective {
  const { clip, minLength } = resolve("gspo-token", options);
  refuseTokenImportance("gspo-token", options);
  return assemble({
    ...options,
    name: "gspo-token",
    settings: { clipLow: clip.low, clipHigh: clip.high, minLength, aggregation: "seq-mean-token-mean" },
    aggregation: "seq-mean-token-mean",
    policy: (prepared, weights) => tokenTerms(prepared, weights, clip, minLength),
  });
}

function tokenTerms(prepared: Prepared, weights: Float64Array, clip: ClipRange, minLength: number): PolicyTerm {
  const { input, logRatio, lengths, sequences } = prepared;
  const { offsets } = input.logProbs;
  const losses = new Float64Array(logRatio.length);
  const gradient = new Float64Array(logRatio.length);
  const ratios = new Float64Array(logRatio.length);
  const clipped = new Int8Array(logRatio.length);
  let count = 0;
  let clamped = 0;
  for (let s = 0; s < sequences; s++) {
    const [start, end] = [offsets[s]!, offsets[s + 1]!];
    const length = lengths[s]!;
    const divisor = Math.max(length, minLength);
    const mean = meanLogRatio(logRatio.subarray(start, end), divisor);
    const [ratio, constant] = [ratioOf(mean), isClamped(mean)];
    for (let t = start; t < end; t++) {
      if (input.mask && input.mask[t] === 0) continue;
      const advantage = advantageAt(prepared, s, t);
      const side = clippedSide(ratio, advantage, clip);
      losses[t] = -weights[s]! * clippedRatio(ratio, side, clip) * advantage;
      gradient[t] = side === 0 && !constant ? (-weights[s]! * ratio * advantage * length) / divisor : 0;
      ratios[count] = ratio;
      clipped[count] = side;
      if (constant) clamped += 1;
      count += 1;
    }
  }
  return { losses, gradient, ratios: ratios.subarray(0, count), clipped: clipped.subarray(0, count), clamped };
}

function resolve(name: string, options: GspoOptions): { clip: ClipRange; minLength: number } {
  const { clip = gspoClip, minLength = 1, aggregation = "seq-mean-token-mean" } = options;
  checkClip(name, clip);
  checkOption(minLength >= 1 && minLength < Infinity, `${name}: minLength`, minLength, "a number from 1");
  if (aggregation !== "seq-mean-token-mean")
    throw new LaconicError(
      "objective_refused",
      `${name}: aggregation ${aggregation} weights sequences by length, which is another algorithm; GSPO is seq-mean-token-mean (see luspo for length weights)`,
      { aggregation },
    );
  return { clip, minLength };
}
