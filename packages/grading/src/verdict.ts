import type { GradingStep } from "@laconic/core/run-folder";

/** Certainty of a verdict. */
export type Certainty =
  /** Same text, or exact arithmetic. */
  | "exact"
  /** Floating-point comparison, at the given digits or at sample points. */
  | "numeric"
  /** Verdict of a model. */
  | "judged"
  /** Unreadable, or not in time; counts as wrong. */
  | "undecided";

/** Verdict of a grader. */
export interface Verdict {
  readonly correct: boolean;
  /** The extracted answer; null without one. */
  readonly extracted: string | null;
  /** Source of the answer, and deciding comparison. */
  readonly rule: string;
  readonly certainty: Certainty;
  /** False if the machine or a sandbox limit prevented a verdict. Default true. */
  readonly decided?: boolean;
  /** The answer reached a sandbox limit; rewards count it as wrong. Default false. */
  readonly limited?: boolean;
  /** Partial credit, 0 to 1, such as F1. */
  readonly score?: number;
  /** Steps to the verdict. */
  readonly steps?: readonly GradingStep[];
}

/** An extracted answer. */
export interface Extracted {
  readonly answer: string;
  readonly rule: string;
}

/** Verdict without an answer. */
export const noAnswer: Verdict = { correct: false, extracted: null, rule: "no answer", certainty: "undecided" };

/** Verdict by text equality of the last step. */
export function textVerdict(extracted: string, rule: string, steps: readonly GradingStep[]): Verdict {
  const last = steps.at(-1);
  return { correct: last !== undefined && last.answer === last.gold, extracted, rule, certainty: "exact", steps };
}
