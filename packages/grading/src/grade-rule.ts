/**
 * Whose rule decides: `own`, the rules of this package; `lenient`, the same without those that turn on how an answer is
 * written; `published`, what the benchmark's published grader does, for comparing with its scores.
 */
export type GradeRule = "own" | "lenient" | "published";

/** Every rule, the default first. */
export const gradeRules: readonly GradeRule[] = ["own", "lenient", "published"];
