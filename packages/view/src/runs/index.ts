/**
 * Runs listed, compared and as CSV: what a terminal shows of their folders. Loads neither charts nor the training loop.
 * @module @laconic/view/runs
 */
export { compareRuns, comparisonText } from "./compare-runs.ts";
export type { Comparison, Difference, Figure, GroupDifference, RunGroup } from "./compare-runs.ts";
export { listRuns, runLines } from "./list-runs.ts";
export type { RunSummary } from "./list-runs.ts";
export { csvLines, exportRun, runTables, tableNames } from "./run-tables.ts";
export type { Cell, RunExport, RunTable, TableName } from "./run-tables.ts";
