/**
 * Pages, charts and tables of runs, sweeps and benches, from their folders. Node only.
 * @module @laconic/report
 */
export { analyseRun } from "./analysis/analyse-run.ts";
export type { AnalyseOptions, WorthOfMessage } from "./analysis/analyse-run.ts";
export { writeAnalysis } from "./analysis/analysis-report.ts";
export { reportBench } from "./bench/report-bench.ts";
export { measuredLines } from "./run/measured-lines.ts";
export { tokenChange } from "./run/token-change.ts";
export { withoutScore } from "./run/unscored.ts";
export { readWarnings, writePicture, writeReport } from "./run/write-report.ts";
export {
  ablationRemark,
  ablationReport,
  ablationRows,
  ablationSaid,
  ablationText,
} from "./variants/ablation-report.ts";
export type { AblationReport } from "./variants/ablation-report.ts";
export { noteOf, summariseSweep, sweepRows, sweepSaid, sweepTable } from "./variants/sweep-report.ts";
export { writeVariantPages, writeVariantPicture } from "./variants/variant-report.ts";
