import type { Problem } from "@laconic/core";

/** Answer kind of a benchmark. */
export type AnswerKind =
  | { readonly kind: "numeric" | "maths" | "writing" }
  /** Python: the function that the question starts, or a whole program. */
  | { readonly kind: "code" | "program" }
  /** Option letters. */
  | { readonly kind: "letter"; readonly letters: string }
  /** The text, or its words, without case, punctuation and articles. */
  | { readonly kind: "text"; readonly ignoreCase?: boolean; readonly words?: true };

/** Lines of stdin and stdout, or arguments and value as JSON. */
export interface ProgramCase {
  readonly input: string;
  readonly output: string;
}

/** Answer kind with the grader's data. */
export type Grading =
  | { readonly kind: "numeric" }
  | { readonly kind: "letter"; readonly letters: string }
  /** A mathematical object in LaTeX. */
  | {
      readonly kind: "maths";
      /** Largest absolute difference, if the benchmark has one. */
      readonly tolerance?: number;
      /** The gold lists several answers. */
      readonly several?: boolean;
      /** Rule of the published scores. Default `hendrycks`, MATH's text equality. */
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
      /** Published rule that extracts the program. Default `humaneval`. */
      readonly published?: "humaneval" | "mbpp" | "agent-prune";
    }
  /** A whole Python program. */
  | {
      readonly kind: "program";
      /** Function to call; null for a program that reads stdin. */
      readonly entryPoint: string | null;
      /** Cases that the question may show. */
      readonly shown: readonly ProgramCase[];
      /** Packed hidden cases, read by `hiddenCases`. */
      readonly hidden: string;
    }
  /** Reward of the text's form, without a gold. */
  | { readonly kind: "writing"; readonly form: "tldr" | "arxiv" };

/** A grader's view of a problem. */
export interface GradedProblem extends Pick<Problem, "id" | "question" | "gold"> {
  readonly grading: Grading;
}
