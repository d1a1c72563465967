import { gradeAnswer, gradePublishedNumber, type GradedProblem, type Graders, type Verdict } from "@laconic/grading";
import { gradeHendrycks, gradeMinerva, gradeQwenLetter } from "./published-rules.ts";
import { hiddenCases } from "./hidden-cases.ts";

/**
 * Grades by the benchmark's rules, also published ones.
 * @throws as `gradeAnswer`; `data_invalid` for unreadable stored cases
 */
export async function gradeProblem(
  reply: string,
  problem: GradedProblem,
  graders: Graders,
  signal?: AbortSignal,
): Promise<Verdict> {
  const { grading, gold, id } = problem;
  if (grading.kind === "program") {
    const shown = [...grading.shown, ...(await hiddenCases(grading.hidden, id))];
    return gradeAnswer(reply, { ...problem, grading: { ...grading, shown, hidden: "" } }, graders, signal);
  }
  if (graders.rule === "published") {
    if (grading.kind === "numeric") return gradePublishedNumber(reply, gold, "strict-match");
    if (grading.kind === "letter") return gradeQwenLetter(reply, gold);
    if (grading.kind === "maths" && grading.published === "minerva")
      return gradeMinerva(reply, gold, graders.maths, signal);
    if (grading.kind === "maths")
      return grading.tolerance === undefined
        ? gradeHendrycks(reply, gold)
        : gradeAnswer(reply, problem, { ...graders, rule: "own" }, signal);
  }
  return gradeAnswer(reply, problem, graders, signal);
}
