/**
 * Runs listed, compared and as CSV: what a terminal shows of their folders. Loads neither charts nor the training loop.
 * @module @laconic/view/runs
 */
export { printable } from "./columns.ts";
export { compareRuns } from "./compare-runs.ts";
export type { Comparison, GroupDifference, RunGroup } from "./compare-runs.ts";
export { comparisonText } from "./comparison-text.ts";
export { CsvWriter } from "./csv.ts";
export type { Cell, RunTable } from "./csv.ts";
export type { Difference, Figure } from "./difference.ts";
export { listRuns, runLines } from "./list-runs.ts";
export type { RunSummary } from "./list-runs.ts";
export { exportRun, runTables, tableNames } from "./run-tables.ts";
export type { RunExport, TableName } from "./run-tables.ts";
