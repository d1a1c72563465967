import type { BenchmarkProblem } from "../data/benchmark.ts";
import { gradeLetter } from "./letter-answer.ts";
import type { MathsGrader } from "./maths/maths-grader.ts";
import { gradeNumber } from "./number-answer.ts";
import type { Verdict } from "./verdict.ts";

/** What judging takes beside the problem. */
export interface GradingMeans {
  /** For benchmarks of mathematics. */
  readonly maths: MathsGrader;
}

/**
 * Judges a reply as the problem's benchmark says.
 * @returns null for a benchmark whose reply is run or rewarded, not compared: code and writing
 */
export async function gradeAnswer(
  reply: string,
  problem: BenchmarkProblem,
  { maths }: GradingMeans,
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
    case "writing":
      return null;
  }
}
