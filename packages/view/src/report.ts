/**
 * Reports of runs, sweeps and benches as text, tables and pictures, from their folders. Node only.
 * @module @laconic/view/report
 */
export { analyseRun, writeAnalysis } from "./analysis/analyse-run.ts";
export type { AnalyseOptions, RunAnalysis, WorthOfMessage } from "./analysis/analyse-run.ts";

export { lastAnswers } from "./analysis/rescore-run.ts";
export { rescoreRun } from "./analysis/rescore-run.ts";
export type { RescoreRunOptions } from "./analysis/rescore-run.ts";

export { probeRun } from "./probe/probe-run.ts";
export type { ProbeProgress } from "./probe/play-families.ts";
export type { ProbeOptions } from "./probe/probe-run.ts";
export { probeText } from "./probe/probe-run.ts";

export { withoutScore } from "./run/training-text.ts";
export { readReport } from "./run/run-report.ts";
export type { RunReport } from "./run/run-report.ts";
export { servedTrainingResult, trainingResult } from "./run/training-text.ts";
export type { TrainingResult } from "./run/training-text.ts";
export { writeBench } from "./run/run-report.ts";
export { writeVariantPicture } from "./variants/reports.ts";
export { writeAblation, writeSweep } from "./variants/reports.ts";
export type { AblationReport } from "./variants/reports.ts";
export type { SweepRow, SweepSummary } from "./variants/summary.ts";
