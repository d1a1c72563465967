import type { GradingStep } from "@laconic/core/run-folder";

/** Certainty of a verdict. */
export type Certainty =
  /** Same text, or exact arithmetic. */
  | "exact"
  /** Given digits, or sample points. */
  | "numeric"
  | "judged"
  /** Counts as wrong. */
  | "undecided";

/** Verdict of a grader. */
export interface Verdict {
  readonly correct: boolean;
  /** Null without an answer. */
  readonly extracted: string | null;
  /** Source, and deciding comparison. */
  readonly rule: string;
  readonly certainty: Certainty;
  /** False if the machine or a sandbox limit prevented a verdict. Default true. */
  readonly decided?: boolean;
  /** Rewards count it as wrong. Default false. */
  readonly limited?: boolean;
  /** 0 to 1, such as F1. */
  readonly score?: number;
  readonly steps?: readonly GradingStep[];
}

/** An extracted answer. */
export interface Extracted {
  readonly answer: string;
  readonly rule: string;
}

/** Verdict without an answer. */
export const noAnswer: Verdict = { correct: false, extracted: null, rule: "no answer", certainty: "undecided" };

/** Text equality. */
export function textVerdict(extracted: string, rule: string, steps: readonly GradingStep[]): Verdict {
  const last = steps.at(-1);
  return { correct: last !== undefined && last.answer === last.gold, extracted, rule, certainty: "exact", steps };
}
