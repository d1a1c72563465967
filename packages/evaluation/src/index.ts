/**
 * Runs methods on benchmarks, and makes the papers' tables.
 * @module @laconic/evaluation
 */
export { estimate, estimateCells, type BenchEstimate, type CellEstimate } from "./bench-estimate.ts";
export { benchJobs, openJobs, protocolOf, unpartitioned, type Unpartitioned } from "./bench-plan.ts";
export { settingOf } from "./bench-job.ts";
export { familyOf } from "@laconic/baselines";
export type { BenchJob, BenchSet, BenchSettings, Partitioner, EqualJob, JobPartition } from "./bench-job.ts";
export type { BenchParts, RoleModel } from "./bench-parts.ts";
export { runBench, type BenchOptions, type BenchOutcome, type CalibrationRecord } from "./run-bench.ts";
export { openRecords, openRecordsOf, type RecordFile, type RecordKind } from "./record-file.ts";
export { pairRecords, runPairs } from "./pairs/run-pairs.ts";
export type { PairRecord, PairBoard, PairMethod, PairOptions } from "./pairs/run-pairs.ts";
export { pairTables, summarisePairs, type PairSummary } from "./pairs/pair-tables.ts";
export type { Deal, EqualTokens, InformationSetting, ModelShare, SampleRecord } from "./sample-record.ts";
export { deadResults, summarise, type MethodSummary } from "./results/summary.ts";
export { frontierOf, hypervolume, tokensAtAccuracy, type TradeOff } from "./results/frontier.ts";
export { holm, meanEstimate, pairedDifference, wilson, type Interval, type ValueKind } from "./results/statistics.ts";
export { accuracyTable, agentPoTable, departureTable, differenceTable, tokenTable } from "./results/tables.ts";
export { csvOf, latexOf, markdownOf, tableOf, type Column, type Table } from "./results/table.ts";
export { publishedAccuracy, publishedSource, publishedAblation, publishedAblationSource } from "./published.ts";
export { agentPoSource, type PublishedAblation } from "./published.ts";
export { meanPassAtK, passAtK, repeatTable, summariseRepeats, type RepeatSummary } from "./results/repeat-table.ts";
export { modelTable } from "./results/tables.ts";
