/**
 * Runs methods on benchmarks, and makes the papers' tables of the records.
 * @module @laconic/evaluation
 */
export { estimate } from "./bench-estimate.ts";
export type { BenchEstimate } from "./bench-estimate.ts";
export { benchJobs, openJobs, protocolOf, undealt } from "./bench-plan.ts";
export { familyOf } from "./family-of.ts";
export type { BenchJob, BenchSet, BenchSettings } from "./bench-plan.ts";
export type { BenchParts } from "./bench-parts.ts";
export { runBench } from "./run-bench.ts";
export type { BenchOptions, BenchOutcome } from "./run-bench.ts";
export type { CalibrationRecord } from "./calibrate.ts";
export { openRecords, readRecords } from "./record-file.ts";
export type { RecordFile } from "./record-file.ts";
export type { SampleRecord } from "./sample-record.ts";
export { summarise } from "./summary.ts";
export type { MethodSummary } from "./summary.ts";
export { pairedBootstrap, pairedBootstrapOverRuns, wilson } from "./statistics.ts";
export { frontierOf, hypervolume, tokensAtAccuracy } from "./frontier.ts";
export type { TradeOff } from "./frontier.ts";
export type { Interval } from "./statistics.ts";
export {
  accuracyTable,
  agentPoTable,
  csvOf,
  departureTable,
  differenceTable,
  latexOf,
  markdownOf,
  tokenTable,
} from "./tables.ts";
export type { Table } from "./tables.ts";
export { htmlOf } from "./html.ts";
export { publishedAccuracy, agentPoSource, publishedSource, publishedTokens } from "./published.ts";
export { publishedAblation, publishedAblationSource } from "./published-ablation.ts";
export type { PublishedAblation } from "./published-ablation.ts";
export type { PublishedTokens } from "./published.ts";
export { escapeHtml } from "./text/escape-html.ts";
export { formatNumber, formatPercent } from "./text/format-number.ts";
