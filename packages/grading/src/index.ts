/**
 * Reads and grades replies: mathematics, numbers, letters, texts and code.
 * @module @laconic/grading
 */
export type { AnswerKind, GradedProblem, Grading, ProgramCase } from "./grading.ts";
export { mathsGrader } from "#platform";
export { gradeAnswer, gradeRules } from "./grade-answer.ts";
export type { Graders, GradeRule, WholeProgram } from "./grade-answer.ts";
export { gradeCase } from "./graded-case.ts";
export type { CaseVerdict } from "./graded-case.ts";
export { readGradedCases } from "./graded-case.ts";
export type { CaseParams, CaseRefusal, CaseRow, GradedCase } from "./graded-case.ts";
export { gradeLetter } from "./letter-answer.ts";
export { gradeNumber, gradePublishedNumber } from "./number-answer.ts";
export { gradeText } from "./text-answer.ts";
export type { MathsGrader, MathsGraderOptions } from "./maths/maths-grader.ts";
export { gradeMaths } from "./maths/grade-maths.ts";
export type { MathsOptions } from "./maths/grade-maths.ts";
export type { AnswerForms } from "./maths/reading/find-answers.ts";

export type { PublishedNumberRule } from "./number-answer.ts";
export { noAnswer, textVerdict } from "./verdict.ts";
export type { Certainty, Extracted, Verdict } from "./verdict.ts";
export { answerForm, answerLine, answerReading } from "./answer-reader.ts";
export type { AnswerReading } from "./answer-reader.ts";
export { lastBoxed } from "./reply/boxes.ts";
