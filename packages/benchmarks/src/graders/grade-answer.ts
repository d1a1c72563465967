import type { BenchmarkProblem, Grading } from "../data/benchmark.ts";
import { gradeLetter } from "./letter-answer.ts";
import type { MathsGrader } from "./maths/maths-grader.ts";
import { gradeNumber } from "./number-answer.ts";
import type { Verdict } from "./verdict.ts";

/** What judging takes beside the problem. */
export interface GradingMeans {
  /** For benchmarks of mathematics. */
  readonly maths: MathsGrader;
  /** For benchmarks of code: `codeGrader` of `@laconic/sandbox`. */
  readonly code?: (reply: string, tests: Extract<Grading, { kind: "code" }>) => Promise<Verdict>;
  /** For benchmarks of writing: judges the text's form, since there is no gold. */
  readonly writing?: (reply: string, grading: Extract<Grading, { kind: "writing" }>) => Promise<Verdict>;
}

/**
 * Judges a reply as the problem's benchmark says.
 * @returns null where there is nothing to compare with: code and writing without the means
 */
export async function gradeAnswer(
  reply: string,
  problem: BenchmarkProblem,
  { maths, code, writing }: GradingMeans,
): Promise<Verdict | null> {
  const { grading, gold } = problem;
  switch (grading.kind) {
    case "numeric":
      return gradeNumber(reply, gold);
    case "letter":
      return gradeLetter(reply, gold, grading.letters);
    case "maths":
      return maths.grade(reply, gold, {
        bareGold: true,
        ...(grading.tolerance !== undefined && { tolerance: grading.tolerance }),
      });
    case "code":
      return code ? code(reply, grading) : null;
    case "writing":
      return writing ? writing(reply, grading) : null;
  }
}
