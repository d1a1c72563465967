/**
 * Model as judge: preferences between two runs, and agreement with labels. Node only.
 * @module @laconic/evaluation/judging
 */
export { answerPairs, labelledAnswers } from "./judge-answers.ts";
export type { GivenAnswer } from "./judge-answers.ts";
export { judgeLabelled, judgePairs, rubricOf } from "./judge-answers.ts";
export type { JudgingOptions } from "./judge-answers.ts";
