import type { Ragged } from "./numeric/ragged.ts";
import type { Diagnostics } from "./numeric/statistic.ts";

/** Counts of the optimizer batch, over its micro-batches. */
export interface BatchTotals {
  readonly sequences: number;
  readonly tokens: number;
  /** Used by `prompt-mean` only. */
  readonly groups?: number;
  /** Mean |log π_old - log π of the sampler| of trained tokens. */
  readonly samplerGap?: number;
}

/** Another policy or a teacher. */
export interface PolicyNeed {
  readonly policy: string;
  /** `old`: start of the step. `first`: before the first step. `now`: after earlier policies of the step. */
  readonly at: "old" | "now" | "first";
}

/** Key of a {@link PolicyNeed}: `teacher@now`. */
export type PolicyNeedKey = `${string}@${PolicyNeed["at"]}`;

/** Key of a need. */
export function policyNeedKey({ policy, at }: PolicyNeed): PolicyNeedKey {
  return `${policy}@${at}`;
}

/** S sampled sequences; all ragged arrays share one layout. */
export interface ObjectiveInput {
  /** log π of the trained policy. */
  readonly logProbs: Ragged;
  /** log π_old, computed by the trainer's engine. */
  readonly oldLogProbs: Ragged;
  /** log π_ref, for a KL term. */
  readonly refLogProbs?: Ragged;
  /** Keyed by {@link policyNeedKey}. */
  readonly policyLogProbs?: Readonly<Record<PolicyNeedKey, Ragged>>;
  /** log π reported by the sampler. */
  readonly rollLogProbs?: Ragged;
  /** Advantage per sequence (length S) or token (length of `logProbs.values`). */
  readonly advantages: Float64Array;
  /** 1 for trained tokens, else 0. Default: all trained. */
  readonly mask?: Uint8Array;
  /** Index per sequence, for `prompt-mean`. */
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

/** Pure loss over log-probs with its gradient. */
export interface Objective {
  readonly name: string;
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  /** `reference`: the initial weights, as `refLogProbs`. */
  readonly needs?: readonly ("reference" | PolicyNeed)[];
  readonly advantagePer?: "sequence";
  evaluate(input: ObjectiveInput): ObjectiveOutput;
}
