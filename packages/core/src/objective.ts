import type { Ragged } from "./numeric/ragged.ts";
import type { Diagnostics } from "./numeric/statistic.ts";

/** Counts of the optimiser batch, so that micro-batches add up to it. */
export interface BatchTotals {
  /** Sequences with at least one trained token. */
  readonly sequences: number;
  readonly tokens: number;
  /** Prompt groups, for `prompt-mean` only. */
  readonly groups?: number;
  /** Mean |log π_old - log π of the sampler| of trained tokens, for one decision over all micro-batches. */
  readonly samplerGap?: number;
}

/** Log-probs of the same tokens under another policy or a teacher. */
export interface PolicyNeed {
  readonly policy: string;
  /** `old`: start of the step. `first`: before the first step. `now`: after earlier policies of the step. */
  readonly at: "old" | "now" | "first";
}

/** Key of a {@link PolicyNeed}: `teacher@now`. */
export type PolicyNeedKey = `${string}@${PolicyNeed["at"]}`;

/** Returns the key of a need. */
export function policyNeedKey({ policy, at }: PolicyNeed): PolicyNeedKey {
  return `${policy}@${at}`;
}

/** Log-probs and advantages of S sampled sequences; all ragged arrays share one layout. */
export interface ObjectiveInput {
  /** log π of the trained policy. */
  readonly logProbs: Ragged;
  /** log π_old: policy at the start of the update phase, computed by the trainer's engine. */
  readonly oldLogProbs: Ragged;
  /** log π_ref, for a KL term. */
  readonly refLogProbs?: Ragged;
  /** log π of other policies, by {@link policyNeedKey}. */
  readonly policyLogProbs?: Readonly<Record<PolicyNeedKey, Ragged>>;
  /** log π reported by the sampler, for importance weights. */
  readonly rollLogProbs?: Ragged;
  /** Advantage per sequence (length S) or per token (length of `logProbs.values`). */
  readonly advantages: Float64Array;
  /** 1 for trained tokens, else 0. Default: all trained. */
  readonly mask?: Uint8Array;
  /** Group index per sequence, for `prompt-mean`. */
  readonly groups?: Int32Array;
  /** Default: totals of this input. */
  readonly totals?: BatchTotals;
}

/** Loss with its gradient and diagnostics. */
export interface ObjectiveOutput {
  /** Minimised. */
  readonly loss: number;
  /** d loss / d log π, in the layout of `logProbs.values`. */
  readonly gradient: Float64Array;
  readonly diagnostics: Diagnostics;
}

/** Pure loss over log-probs with its gradient, for any engine. */
export interface Objective {
  readonly name: string;
  /** Resolved settings for the run record. */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  /** `reference`: the initial weights, as `refLogProbs`; other policies as `policyLogProbs`. */
  readonly needs?: readonly ("reference" | PolicyNeed)[];
  /** Set if advantages must be per sequence. */
  readonly advantagePer?: "sequence";
  evaluate(input: ObjectiveInput): ObjectiveOutput;
}
