/**
 * What a program needs that reads run folders and trains nothing: what became of a run and its figures, its rows and
 * episodes, names of files and metrics, and what tells a decline.
 * @module @laconic/trainer/reading
 */
export { regressionOf } from "../evaluation-warnings.ts";
export type { Evaluation, Measured } from "../evaluate.ts";
export { describeMetric, metricNames, type MetricName } from "../metric-names.ts";
export { describeChanges, type ChangedSetting, type ChangesOfStep } from "./changed-settings.ts";
export { readRunFacts, stepSeconds, unreadFacts, trainingSeconds } from "./run-facts.ts";
export type { RunFacts, RunFactsOptions, WarmStartFacts, RunState } from "./run-facts.ts";
export type { GroupFigures, RunEvaluation } from "./run-facts.ts";
export type { ProbedFamily, ProbeFigures, ProbeRecord } from "./probe-record.ts";
export { fileSystemSource, folderSource, isRunHeld, type LivingProcesses, type RunSource } from "./run-source.ts";
export { eachEpisode, episodeContent, CutOffError, shownEpisodes, EpisodeFile } from "./episodes.ts";
export type { EntryReader, EpisodeEntry } from "./episodes.ts";
export { RowFile, eachRow, readRows, rowOf, lastRow } from "./rows.ts";
export type { RowBytes, RowRange, RowReader, Row } from "./rows.ts";
export { runMissing } from "./run-manifest.ts";
export { runFiles } from "@laconic/core/run-folder";
export { nodeProcesses } from "#platform";
