/**
 * The grader's board: labelled pairs, how often verdicts are as labelled, and Math-Verify beside them. Node only.
 * @module @laconic/grading/board
 */
export { graderBoard, graderRules } from "./grader-board.ts";
export { gradedCases, judgeCases } from "./judge-cases.ts";
export { boardLines, boardReport, disagreementLines } from "./board-report.ts";
export type { BoardReport, DisagreementJson, TallyJson } from "./board-report.ts";
export { mathVerifyVerdicts } from "./math-verify.ts";
export { shareOf, talliesBy } from "./tally.ts";
export type { Judged, Share, Tally } from "./tally.ts";
