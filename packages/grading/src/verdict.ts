import type { GradingStep } from "@laconic/core/run-folder";

/** How sure a verdict is. */
export type Certainty =
  /** Same text, or exact arithmetic. */
  | "exact"
  /** Floating-point values agree, or differ, at the given digits or at sample points. */
  | "numeric"
  /** A model says so. */
  | "judged"
  /** The answer could not be read, or not in time; counted as wrong. */
  | "undecided";

/** What a grader says of an answer. */
export interface Verdict {
  readonly correct: boolean;
  /** The answer as it was found; null when there is none. */
  readonly extracted: string | null;
  /** What decided: where the answer was found, and how it was compared. */
  readonly rule: string;
  readonly certainty: Certainty;
  /** False where the machine or a limit of the sandbox prevented a verdict: the answer is neither right nor wrong. Default true. */
  readonly decided?: boolean;
  /** Whether it was a limit of the sandbox that the answer reached. A reward counts this as wrong. Default false. */
  readonly limited?: boolean;
  /** How far it is right, 0 to 1, where the benchmark's rule says: F1 of words. */
  readonly score?: number;
  /** The way to it, where the grader says. */
  readonly steps?: readonly GradingStep[];
}

/** An answer found in a reply. */
export interface Extracted {
  readonly answer: string;
  readonly rule: string;
}

/** The verdict on a reply in which no answer was found. */
export const noAnswer: Verdict = { correct: false, extracted: null, rule: "no answer", certainty: "undecided" };

/** The verdict of comparing texts: whether both sides of the last step are equal. */
export function textVerdict(extracted: string, rule: string, steps: readonly GradingStep[]): Verdict {
  const last = steps.at(-1);
  return { correct: last !== undefined && last.answer === last.gold, extracted, rule, certainty: "exact", steps };
}
