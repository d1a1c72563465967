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
  TrainingSplits,
} from "./data/benchmark.ts";
export type { RowSchema } from "./data/row-schema.ts";
export { inPublishedForm, posed, questionText } from "./data/question-text.ts";
export { findFiles, openData, openProblems, openSplit } from "#platform";
export type { OpenOptions } from "./data/open-split.ts";
export { loadSplit, type FoundFile, type LoadedSplit, type LoadOptions } from "./data/load-split.ts";
export type { RowRefusal, DataRow } from "./data/data-row.ts";
export type { OpenedData, OpenedProblems, ProblemOptions } from "./own/open-data.ts";
export { answerKindOf, dataSettingsSchema, rowSettingsSchema } from "./own/data-settings.ts";
export type { DataColumns, DataGrading, DataSettings, DataSource, RowSettings } from "./own/data-settings.ts";
export type { SourceOptions } from "./own/data-source.ts";
export { seededSubset, trainingSplits } from "./data/benchmark.ts";
export { checkSplits, listSplits, type KeptSplit, type SplitCheck } from "./data/kept-splits.ts";
export { contamination, seenInTraining, type Overlap, type SeenInTraining } from "./data/contamination.ts";
export { jsonLines } from "./data/formats/json-lines.ts";
export { readRows } from "./data/formats/read-rows.ts";
export { distribute, type DistributedProblem, type Shard } from "./data/distribute.ts";

export { gradeProblem } from "./grading/grade-problem.ts";
export { writingReward } from "./writing/writing-reward.ts";
export type { WritingForm, WritingOptions, WritingReward, WritingWords } from "./writing/writing-reward.ts";
