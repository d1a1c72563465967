/**
 * Runs listed, compared and as CSV: what a terminal shows of their folders. Loads neither charts nor the training loop.
 * @module @laconic/report/runs
 */
export { columnsOf } from "./columns.ts";
export { compareRuns } from "./compare-runs.ts";
export { comparisonText } from "./comparison-text.ts";
export { csvWriter } from "./csv.ts";
export type { CsvWriter } from "./csv.ts";
export { findRuns } from "./find-runs.ts";
export { printable } from "./printable.ts";
export { readRunSummary } from "./run-summary.ts";
export type { RunSummary } from "./run-summary.ts";
export { runTable, tableNames } from "./run-tables.ts";
export type { RunTable } from "./run-tables.ts";
