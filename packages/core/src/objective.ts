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

/** Log-probs of the same tokens under another policy of the run, or under a teacher, who is the same at any time. */
export interface PolicyNeed {
  readonly policy: string;
  /**
   * `old`: as at the start of the step; `first`: before the first step; `now`: as it is when this policy's turn comes. Policies learn one after the
   * other, in their order, so `now` is after the step for those before.
   */
  readonly at: "old" | "now" | "first";
}

/** Under which a {@link PolicyNeed} is found: `teacher@now`. */
export type PolicyNeedKey = `${string}@${PolicyNeed["at"]}`;

/** The key of a need. */
export function policyNeedKey({ policy, at }: PolicyNeed): PolicyNeedKey {
  return `${policy}@${at}`;
}

/**
 * What an objective sees: log-probs and advantages, never a tensor or a text.
 * All ragged arrays share one layout, S sequences of sampled tokens.
 */
export interface ObjectiveInput {
  /** log π of each sampled token under the policy being trained. */
  readonly logProbs: Ragged;
  /** log π_old: the policy at the start of the update phase, computed by the trainer's engine. */
  readonly oldLogProbs: Ragged;
  /** log π_ref, where a KL term asks for it. */
  readonly refLogProbs?: Ragged;
  /** log π of other policies, by {@link policyNeedKey} of what the objective needs. */
  readonly policyLogProbs?: Readonly<Record<PolicyNeedKey, Ragged>>;
  /** log π as the sampler reported it, where an importance weight asks for it. */
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

/** A pure loss over log-probs with a hand-derived gradient. Engines back-propagate `gradient`; any engine gives the same update. */
export interface Objective {
  readonly name: string;
  /** Resolved settings, for the run record. */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  /** `reference`: log-probs under the weights that a run began with, as `refLogProbs`. Those of other policies come as `policyLogProbs`. */
  readonly needs?: readonly ("reference" | PolicyNeed)[];
  /** It takes one advantage per sequence alone; absent for one that takes one per token too. */
  readonly advantagePer?: "sequence";
  evaluate(input: ObjectiveInput): ObjectiveOutput;
}
