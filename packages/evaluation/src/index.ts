/**
 * Runs methods on benchmarks, and makes the papers' tables.
 * @module @laconic/evaluation
 */
export { estimate, estimateCells } from "./bench-estimate.ts";
export type { BenchEstimate, CellEstimate } from "./bench-estimate.ts";
export { benchJobs, openJobs, protocolOf, unpartitioned } from "./bench-plan.ts";
export type { Unpartitioned } from "./bench-plan.ts";
export { settingOf } from "./bench-job.ts";
export { familyOf } from "@laconic/baselines";
export type { BenchJob, BenchSet, BenchSettings, Partitioner, EqualJob, JobPartition } from "./bench-job.ts";
export type { BenchParts, RoleModel } from "./bench-parts.ts";
export { runBench } from "./run-bench.ts";
export type { BenchOptions, BenchOutcome } from "./run-bench.ts";
export type { CalibrationRecord } from "./run-bench.ts";
export { openRecords, openRecordsOf } from "./record-file.ts";
export type { RecordFile, RecordKind } from "./record-file.ts";
export { pairRecords } from "./pairs/run-pairs.ts";
export type { PairRecord } from "./pairs/run-pairs.ts";
export { runPairs } from "./pairs/run-pairs.ts";
export type { PairBoard, PairMethod, PairOptions } from "./pairs/run-pairs.ts";
export { pairTables, summarisePairs } from "./pairs/pair-tables.ts";
export type { PairSummary } from "./pairs/pair-tables.ts";
export type { Deal, EqualTokens, InformationSetting, ModelShare, SampleRecord } from "./sample-record.ts";
export { deadResults } from "./results/summary.ts";
export { summarise } from "./results/summary.ts";
export type { MethodSummary } from "./results/summary.ts";
export { holm, meanEstimate, pairedDifference, wilson } from "./results/statistics.ts";
export { frontierOf, hypervolume, tokensAtAccuracy } from "./results/frontier.ts";
export type { TradeOff } from "./results/frontier.ts";
export type { Interval, ValueKind } from "./results/statistics.ts";
export { accuracyTable, agentPoTable, departureTable, differenceTable, tokenTable } from "./results/tables.ts";
export { csvOf, latexOf, markdownOf } from "./results/table.ts";
export type { Table } from "./results/table.ts";
export { publishedAccuracy, publishedSource, publishedAblation, publishedAblationSource } from "./published.ts";
export { agentPoSource } from "./published.ts";
export type { PublishedAblation } from "./published.ts";
export { meanPassAtK, passAtK } from "./results/repeat-table.ts";
export { repeatTable, summariseRepeats } from "./results/repeat-table.ts";
export type { RepeatSummary } from "./results/repeat-table.ts";
export { modelTable } from "./results/tables.ts";
