/**
 * The grader's board: how often verdicts agree with labels. Node only.
 * @module @laconic/grading/board
 */
export { graderBoard, graderRules, judgeCases, tallyOf } from "./board-report.ts";
export type { BoardReport, Judged, Share, Tally } from "./board-report.ts";
