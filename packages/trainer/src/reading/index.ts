/**
 * What a program needs that reads run folders and trains nothing: what became of a run and its figures, its rows and
 * episodes, names of files and metrics, and what tells a decline.
 * @module @laconic/trainer/reading
 */
export { regressionOf } from "../evaluation-warnings.ts";
export type { Evaluation, Measured } from "../evaluate.ts";
export { describeMetric, metricNames } from "../metric-names.ts";
export type { MetricName } from "../metric-names.ts";
export { describeChanges } from "./changed-settings.ts";
export type { ChangedSetting, ChangesOfStep } from "./changed-settings.ts";
export type { GroupFigures, RunEvaluation } from "./run-facts.ts";
export { readRunFacts, stepSeconds, unreadFacts } from "./run-facts.ts";
export type { FamilyColumn, FamilyRow, FamilyTable } from "./families.ts";
export { probeRecordSchema } from "./probe-record.ts";
export type { ProbedFamily, ProbeFigures, ProbeRecord } from "./probe-record.ts";
export type { RunFacts, RunFactsOptions, WarmStartFacts, RunState } from "./run-facts.ts";
export { fileSystemSource, folderSource } from "./folder-source.ts";
export { eachEpisode, episodeContent, CutOffError, shownEpisodes } from "./episode-content.ts";
export { EpisodeFile } from "./episode-file.ts";
export type { EntryReader, EpisodeEntry } from "./episode-file.ts";
export { RowFile } from "./rows.ts";
export type { RowBytes, RowPlace, RowReader } from "./rows.ts";
export { runFiles } from "@laconic/core/run-folder";
export { trainingSeconds } from "./run-facts.ts";
export { eachRow, readRows, rowOf } from "./rows.ts";
export type { Row } from "./rows.ts";
export { nodeProcesses } from "#platform";
export { lastRow } from "./step-rows.ts";
export { isRunHeld } from "./run-source.ts";
export type { LivingProcesses, RunSource } from "./run-source.ts";
