/**
 * Benchmark data for teams of language models.
 * @module @laconic/benchmarks
 */
export { benchmarkNamed, benchmarks } from "./data/registry.ts";
export type {
  Benchmark,
  BenchmarkProblem,
  HubFiles,
  KnownFile,
  PlacedFile,
  RowProblem,
  Split,
} from "./data/benchmark.ts";
export type { RowSchema } from "./data/row-schema.ts";
export { posed, questionText } from "./data/question-text.ts";
export { findFiles, openData, openProblems, openSplit } from "#platform";
export type { OpenOptions } from "./data/open-split.ts";
export { loadSplit } from "./data/load-split.ts";
export type { FoundFile, LoadedSplit, LoadOptions } from "./data/load-split.ts";
export type { RowRefusal } from "./data/data-row.ts";
export type { OpenedData, OpenedProblems, ProblemOptions } from "./own/open-data.ts";
export { answerKindOf, dataSettingsSchema, rowSettingsSchema } from "./own/data-settings.ts";
export type { DataColumns, DataGrading, DataSettings, DataSource, RowSettings } from "./own/data-settings.ts";
export type { SourceOptions } from "./own/data-source.ts";
export { seededSubset } from "./data/benchmark.ts";
export { checkSplits, listSplits } from "./data/kept-splits.ts";
export type { KeptSplit, SplitCheck } from "./data/kept-splits.ts";
export { contamination, seenInTraining } from "./data/contamination.ts";
export type { Overlap, SeenInTraining } from "./data/contamination.ts";
export { jsonLines } from "./data/formats/json-lines.ts";
export { readRows } from "./data/formats/read-rows.ts";
export type { DataRow } from "./data/data-row.ts";
export { distribute } from "./data/distribute.ts";
export type { DistributedProblem, Shard } from "./data/distribute.ts";

export { gradeProblem } from "./grading/grade-problem.ts";
export { writingReward } from "./writing/writing-reward.ts";
export type { WritingForm, WritingOptions, WritingReward } from "./writing/writing-reward.ts";
