import { inputError, LaconicError, type Objective } from "@laconic/core";
import type { Aggregation } from "../aggregation.ts";
import { isClamped, ratioOf } from "../log-ratio.ts";
import type { Prepared } from "../prepare.ts";
import { assemble, type CommonOptions, type PolicyTerm } from "./assemble.ts";
import { clippedRatio, clippedSide, type ClipRange } from "./clip-range.ts";

export interface SequenceView {
  /** Unclamped; 0 where masked. */
  readonly logRatio: Float64Array;
  readonly logProbs: Float64Array;
  readonly length: number;
  readonly advantage: number;
}

/** Loss before aggregation: one value for all tokens, or one per token. */
export interface SequenceTerm {
  readonly loss: number | Float64Array;
  readonly dLogProb: number | Float64Array;
  readonly ratio: number;
  readonly clamped: boolean;
  readonly clipped: -1 | 0 | 1;
}

/** l = -min(s A, clip(s) A) of a ratio s = exp(mean), and its derivative, 0 when clipped. */
export function clippedTerm(
  mean: number,
  advantage: number,
  clip: ClipRange,
): SequenceTerm & { readonly dLogProb: number } {
  const ratio = ratioOf(mean);
  const clipped = clippedSide(ratio, advantage, clip);
  const loss = -clippedRatio(ratio, clipped, clip) * advantage;
  return { loss, dLogProb: clipped === 0 ? loss : 0, ratio, clamped: isClamped(mean), clipped };
}

export type SequenceLoss = (view: SequenceView) => SequenceTerm;

/**
 * Loss with one term per sequence.
 * @throws LaconicError `input_invalid` for per-token advantages
 */
export function sequenceObjective(
  name: string,
  settings: Objective["settings"],
  aggregation: Aggregation,
  options: CommonOptions & { readonly ratioDetached?: boolean },
  loss: SequenceLoss,
): Objective {
  refuseTokenImportance(name, options);
  return assemble({
    ...options,
    name,
    settings: { ...settings, aggregation },
    aggregation,
    advantagePer: "sequence",
    policy: (prepared, weights) => sequenceTerms(name, prepared, weights, loss, options.ratioDetached ?? false),
  });
}

export function refuseTokenImportance(name: string, { importance }: CommonOptions): void {
  if (importance?.level === "token")
    throw new LaconicError(
      "objective_refused",
      `${name}: token-level importance weights break the equal gradient of a sequence; use level sequence or geometric`,
    );
}

function sequenceTerms(
  name: string,
  prepared: Prepared,
  weights: Float64Array,
  loss: SequenceLoss,
  ratioDetached: boolean,
): PolicyTerm {
  const { input, logRatio, lengths, sequences } = prepared;
  const { logProbs, mask, advantages } = input;
  if (prepared.advantagePerToken)
    throw inputError(`${name} takes one advantage per sequence; per-token advantages need gspo-token`);
  const losses = new Float64Array(logRatio.length);
  const gradient = new Float64Array(logRatio.length);
  const ratios = new Float64Array(sequences);
  const clipped = new Int8Array(sequences);
  let count = 0;
  let clamped = 0;
  for (let s = 0; s < sequences; s++) {
    const length = lengths[s]!;
    if (length === 0) continue;
    const [start, end] = [logProbs.offsets[s]!, logProbs.offsets[s + 1]!];
    const weight = weights[s]!;
    const term = loss({
      logRatio: logRatio.subarray(start, end),
      logProbs: logProbs.values.subarray(start, end),
      length,
      advantage: advantages[s]!,
    });
    const flat = term.clamped && !ratioDetached;
    for (let t = start; t < end; t++) {
      if (mask && mask[t] === 0) continue;
      losses[t] = weight * (typeof term.loss === "number" ? term.loss : term.loss[t - start]!);
      const dLogProb = typeof term.dLogProb === "number" ? term.dLogProb : term.dLogProb[t - start]!;
      gradient[t] = flat ? 0 : weight * dLogProb;
    }
    ratios[count] = term.ratio;
    clipped[count] = term.clipped;
    if (term.clamped) clamped += 1;
    count += 1;
  }
  return {
    losses,
    gradient,
    ratios: ratios.subarray(0, count),
    clipped: clipped.subarray(0, count),
    clamped,
    bySequence: true,
  };
}
