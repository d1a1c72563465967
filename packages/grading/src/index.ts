/**
 * Reads and grades replies: mathematics, numbers, letters, texts and code.
 * @module @laconic/grading
 */
export type { AnswerKind, GradedProblem, Grading, ProgramCase } from "./grading.ts";
export { mathsGrader } from "#platform";
export { gradeAnswer, gradeRules, type Graders, type GradeRule, type WholeProgram } from "./grade-answer.ts";
export { gradeCase, readGradedCases } from "./graded-case.ts";
export type { CaseVerdict, CaseParams, CaseRefusal, CaseRow, GradedCase } from "./graded-case.ts";
export { gradeLetter } from "./letter-answer.ts";
export { gradeNumber, gradePublishedNumber, type PublishedNumberRule } from "./number-answer.ts";
export { gradeText } from "./text-answer.ts";
export type { MathsGrader, MathsGraderOptions } from "./maths/maths-grader.ts";
export { gradeMaths, type MathsOptions } from "./maths/grade-maths.ts";
export type { AnswerForms } from "./maths/reading/find-answers.ts";

export { noAnswer, textVerdict, type Certainty, type Extracted, type Verdict } from "./verdict.ts";
export { answerForm, answerLine, answerReading, type AnswerReading } from "./answer-reader.ts";
export { lastBoxed } from "./reply/boxes.ts";
