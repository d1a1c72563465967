import type { Problem } from "@laconic/core";

/** Answer kind of a benchmark. */
export type AnswerKind =
  | { readonly kind: "numeric" | "maths" | "writing" }
  /** The function that the question starts, or a whole program. */
  | { readonly kind: "code" | "program" }
  /** Option letters. */
  | { readonly kind: "letter"; readonly letters: string }
  /** Ignores case, punctuation and articles. */
  | { readonly kind: "text"; readonly ignoreCase?: boolean; readonly words?: true };

/** Stdin and stdout, or arguments and value as JSON. */
export interface ProgramCase {
  readonly input: string;
  readonly output: string;
}

/** Answer kind with data. */
export type Grading =
  | { readonly kind: "numeric" }
  | { readonly kind: "letter"; readonly letters: string }
  | {
      readonly kind: "maths";
      /** Largest absolute difference. */
      readonly tolerance?: number;
      /** The gold lists several answers. */
      readonly several?: boolean;
      /** Rule of the published scores. Default `hendrycks`, text equality. */
      readonly published?: "hendrycks" | "minerva";
    }
  /** Compared by characters, or by words. */
  | { readonly kind: "text"; readonly ignoreCase?: boolean; readonly words?: true }
  /** `check(entryPoint)` follows `test` unless it calls itself. */
  | {
      readonly kind: "code";
      readonly prompt: string;
      readonly test: string;
      readonly entryPoint: string;
      readonly testCallsItself?: boolean;
      /** Extracts the program. Default `humaneval`. */
      readonly published?: "humaneval" | "mbpp" | "agent-prune";
    }
  | {
      readonly kind: "program";
      /** Null for a program that reads stdin. */
      readonly entryPoint: string | null;
      /** Cases that the question may show. */
      readonly shown: readonly ProgramCase[];
      /** Packed; `hiddenCases` reads them. */
      readonly hidden: string;
    }
  /** Rewards the text's form, without a gold. */
  | { readonly kind: "writing"; readonly form: "tldr" | "arxiv" };

/** A grader's view of a problem. */
export interface GradedProblem extends Pick<Problem, "id" | "question" | "gold"> {
  readonly grading: Grading;
}
