/**
 * Model as judge: preferences between two runs, and agreement with labels. Node only.
 * @module @laconic/evaluation/judging
 */
export { answerPairs, labelledAnswers, judgeLabelled, judgePairs, rubricOf } from "./judge-answers.ts";
export type { GivenAnswer, JudgingOptions } from "./judge-answers.ts";
