import type { Ragged } from "./numeric/ragged.ts";
import type { Diagnostics } from "./numeric/statistic.ts";

/** Counts over the whole optimiser batch, so that micro-batches add up to one big batch. */
export interface BatchTotals {
  /** Sequences with at least one trained token. */
  readonly sequences: number;
  /** Trained tokens. */
  readonly tokens: number;
  /** Prompt groups; needed by `prompt-mean` only. */
  readonly groups?: number;
  /** Mean |log π_old - log π of the sampler| of the trained tokens, where one decision has to hold for all micro-batches. */
  readonly samplerGap?: number;
}

/** Log-probs of the same tokens under another policy of the run, or under a teacher. */
export interface PolicyNeed {
  readonly policy: string;
  /**
   * `old`: at the start of the step; `first`: before the first step; `now`: at this policy's turn, after the step of the
   * policies before it, since policies learn in their order.
   */
  readonly at: "old" | "now" | "first";
}

/** Key of a {@link PolicyNeed}: `teacher@now`. */
export type PolicyNeedKey = `${string}@${PolicyNeed["at"]}`;

/** The key of a need. */
export function policyNeedKey({ policy, at }: PolicyNeed): PolicyNeedKey {
  return `${policy}@${at}`;
}

/** Log-probs and advantages of S sequences of sampled tokens; all ragged arrays share one layout. */
export interface ObjectiveInput {
  /** log π of each sampled token under the policy being trained. */
  readonly logProbs: Ragged;
  /** log π_old: the policy at the start of the update phase, computed by the trainer's engine. */
  readonly oldLogProbs: Ragged;
  /** log π_ref, for a KL term. */
  readonly refLogProbs?: Ragged;
  /** log π of other policies, by {@link policyNeedKey} of what the objective needs. */
  readonly policyLogProbs?: Readonly<Record<PolicyNeedKey, Ragged>>;
  /** log π as the sampler reported it, for importance weights. */
  readonly rollLogProbs?: Ragged;
  /** One advantage per sequence (length S) or one per token (length of `logProbs.values`). */
  readonly advantages: Float64Array;
  /** 1 for a trained token, 0 for one that must not count; all trained when absent. */
  readonly mask?: Uint8Array;
  /** Group index per sequence, for `prompt-mean`. */
  readonly groups?: Int32Array;
  /** Defaults to the totals of this very input. */
  readonly totals?: BatchTotals;
}

/** A loss, its gradient in every log-prob, and diagnostics. */
export interface ObjectiveOutput {
  /** Minimised. */
  readonly loss: number;
  /** d loss / d log π, in the layout of `logProbs.values`. */
  readonly gradient: Float64Array;
  readonly diagnostics: Diagnostics;
}

/** A pure loss over log-probs with its gradient, which any engine back-propagates. */
export interface Objective {
  readonly name: string;
  /** Resolved settings, for the run record. */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  /** `reference`: log-probs under the initial weights as `refLogProbs`; other policies as `policyLogProbs`. */
  readonly needs?: readonly ("reference" | PolicyNeed)[];
  /** One advantage per sequence alone; absent if per token is possible too. */
  readonly advantagePer?: "sequence";
  evaluate(input: ObjectiveInput): ObjectiveOutput;
}
