import type { Problem } from "@laconic/core";

/** What the answers of a benchmark are: decides how one is asked for, found in a reply and compared with another. */
export type AnswerKind =
  | { readonly kind: "numeric" | "maths" | "writing" }
  /** Python: the function that the question begins, or a whole program. */
  | { readonly kind: "code" | "program" }
  /** One of these letters, which stand before options. */
  | { readonly kind: "letter"; readonly letters: string }
  /** The text itself, or its words alone: without case, punctuation and articles, partly right by those it shares. */
  | { readonly kind: "text"; readonly ignoreCase?: boolean; readonly words?: true };

/** An input of a program, and what it makes of it: lines of stdin and stdout, or arguments and value in JSON. */
export interface ProgramCase {
  readonly input: string;
  readonly output: string;
}

/** How an answer is judged, with what the grader needs beside the gold: the benchmark's kind of answer, and its details. */
export type Grading =
  | { readonly kind: "numeric" }
  | { readonly kind: "letter"; readonly letters: string }
  /** A mathematical object in LaTeX. */
  | {
      readonly kind: "maths";
      /** Largest absolute difference, where the benchmark names one. */
      readonly tolerance?: number;
      /** The gold lists several answers. */
      readonly several?: boolean;
      /** Whose rule its published scores were taken with. Default `hendrycks`, MATH's equality of texts. */
      readonly published?: "hendrycks" | "minerva";
    }
  /** A text, character by character, or by its words alone. */
  | { readonly kind: "text"; readonly ignoreCase?: boolean; readonly words?: true }
  /** Python that `test` accepts; `check(entryPoint)` follows unless the test calls itself. */
  | {
      readonly kind: "code";
      readonly prompt: string;
      readonly test: string;
      readonly entryPoint: string;
      readonly testCallsItself?: boolean;
      /** Whose published rule finds the program in a reply. Default `humaneval`. */
      readonly published?: "humaneval" | "mbpp" | "agent-prune";
    }
  /** A whole program of Python, by what it makes of inputs. */
  | {
      readonly kind: "program";
      /** A function to call; null for a program that reads stdin. */
      readonly entryPoint: string | null;
      /** Cases that the question may show. */
      readonly shown: readonly ProgramCase[];
      /** Further ones, as they are stored: `hiddenCases` reads them when a reply is judged. */
      readonly hidden: string;
    }
  /** No gold: a reward of the text's form. */
  | { readonly kind: "writing"; readonly form: "tldr" | "arxiv" };

/** What a grader has to know of a problem. */
export interface GradedProblem extends Pick<Problem, "id" | "question" | "gold"> {
  readonly grading: Grading;
}
