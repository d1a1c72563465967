/**
 * Benchmark data and graders for teams of language models.
 * @module @laconic/benchmarks
 */
export { benchmarkNamed, benchmarks } from "./data/registry.ts";
export type {
  AnswerKind,
  Benchmark,
  BenchmarkProblem,
  Grading,
  HubFiles,
  KnownFile,
  PlacedFile,
  ProgramCase,
  RowProblem,
  Split,
} from "./data/benchmark.ts";
export type { RowSchema } from "./data/row-schema.ts";
export { posed, questionText } from "./data/question-text.ts";
export { findFiles, mathsGrader, openData, openProblems, openSplit } from "#platform";
export type { OpenOptions } from "./data/open-split.ts";
export type { FoundFile } from "./data/find-files.ts";
export { loadSplit } from "./data/load-split.ts";
export type { LoadedSplit, LoadOptions } from "./data/load-split.ts";
export type { RowRefusal } from "./data/data-row.ts";
export type { OpenedProblems, ProblemOptions } from "./own/open-problems.ts";
export type { OpenedData } from "./own/open-data.ts";
export { answerKindOf, dataSettingsSchema, rowSettingsSchema } from "./own/data-settings.ts";
export type { DataColumns, DataGrading, DataSettings, DataSource, RowSettings } from "./own/data-settings.ts";
export type { SourceOptions } from "./own/data-source.ts";
export { seededSubset } from "./data/benchmark.ts";
export { checkSplits, listSplits } from "./data/kept-splits.ts";
export type { KeptSplit, SplitCheck } from "./data/kept-splits.ts";
export { contamination } from "./data/contamination.ts";
export type { Overlap } from "./data/contamination.ts";
export { readRows } from "./data/formats/read-rows.ts";
export type { DataRow } from "./data/data-row.ts";
export { distribute } from "./data/distribute.ts";
export type { DistributedProblem, Shard } from "./data/distribute.ts";

export { gradeAnswer } from "./graders/grade-answer.ts";
export type { Graders, WholeProgram } from "./graders/grade-answer.ts";
export { gradeRules } from "./graders/grade-rule.ts";
export type { GradeRule } from "./graders/grade-rule.ts";
export { gradeCase } from "./graders/grade-case.ts";
export type { CaseVerdict } from "./graders/grade-case.ts";
export { readGradedCases } from "./graders/graded-case.ts";
export type { CaseParams, GradedCase } from "./graders/graded-case.ts";
export { gradeLetter } from "./graders/letter-answer.ts";
export { gradeNumber } from "./graders/number-answer.ts";
export { gradeText } from "./graders/text-answer.ts";
export type { MathsGrader, MathsGraderOptions } from "./graders/maths/maths-grader.ts";
export { gradeMaths } from "./graders/maths/grade-maths.ts";
export type { MathsOptions } from "./graders/maths/grade-maths.ts";
export type { AnswerForms } from "./graders/maths/reading/find-answers.ts";
export { publishedLetters } from "./graders/profiles/published.ts";
export type { PublishedLetterRule } from "./graders/profiles/published.ts";
export type { Certainty, Extracted, Verdict } from "./graders/verdict.ts";
export { answerForm, answerLine, answerReading } from "./graders/answer-reader.ts";
export type { AnswerReading } from "./graders/answer-reader.ts";

export { writingReward } from "./writing/writing-reward.ts";
export type { WritingForm, WritingOptions, WritingReward } from "./writing/writing-reward.ts";
