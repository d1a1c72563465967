/**
 * Pages, charts and tables of runs, sweeps and benches, from their folders. Node only.
 * @module @laconic/report
 */
export { analyseRun } from "./analysis/analyse-run.ts";
export type { AnalyseOptions, RunAnalysis, WorthOfMessage } from "./analysis/analyse-run.ts";
export { writeAnalysis } from "./analysis/analysis-report.ts";
export { writeBench } from "./pages/bench-page.ts";
export { measuredLines, tokenChange, withoutScore } from "./run/figures-text.ts";
export { readReport } from "./run/run-report.ts";
export type { RunReport } from "./run/run-report.ts";
export { writeAblation } from "./variants/ablation-report.ts";
export type { AblationReport } from "./variants/ablation-report.ts";
export type { SweepRow, SweepSummary } from "./variants/summary.ts";
export { writeSweep } from "./variants/sweep-report.ts";
export { writeVariantPicture } from "./variants/variant-page.ts";
