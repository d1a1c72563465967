import { gradeAnswer, gradePublishedNumber, type GradedProblem, type Graders, type Verdict } from "@laconic/grading";
import { gradeHendrycks, gradeMinerva, gradeQwenLetter } from "./published-rules.ts";
import { hiddenCases } from "./hidden-cases.ts";

/**
 * Judges a reply as the problem's benchmark says, also by its published rule and by cases that it stores packed.
 * @throws LaconicError as `gradeAnswer`; `data_invalid` for stored cases that cannot be read
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
