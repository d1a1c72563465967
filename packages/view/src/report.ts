/**
 * Reports of runs, sweeps and benches as text, tables and pictures, from their folders. Node only.
 * @module @laconic/view/report
 */
export {
  analyseRun,
  writeAnalysis,
  type AnalyseOptions,
  type RunAnalysis,
  type WorthOfMessage,
} from "./analysis/analyse-run.ts";
export { lastAnswers, rescoreRun, type RescoreRunOptions } from "./analysis/rescore-run.ts";
export { probeRun, probeText, type ProbeOptions } from "./probe/probe-run.ts";
export type { ProbeProgress } from "./probe/play-families.ts";
export { withoutScore, servedTrainingResult, trainingResult, type TrainingResult } from "./run/training-text.ts";
export { readReport, writeBench, type RunReport } from "./run/run-report.ts";
export { writeVariantPicture, writeAblation, writeSweep, type AblationReport } from "./variants/reports.ts";
export type { SweepRow, SweepSummary } from "./variants/summary.ts";
