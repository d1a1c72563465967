/**
 * The Agent-GSPO training loop (Algorithm 1), its run directory and its metrics.
 * @module @laconic/trainer
 */
export { checkTraining } from "./spec/check-training.ts";
export { train } from "./train.ts";
export type { TrainOptions, TrainResult } from "./train.ts";
export { matchmakings } from "./spec/matchmaking.ts";
export type { OpponentResult } from "./opponents/games.ts";
export { agentGspoDefaults, asynchronousDefaults, opponentDefaults, supervisedDefaults } from "./settings/config.ts";
export type {
  AdvantageSettings,
  AsynchronousSettings,
  CreditSettings,
  ObjectiveSettings,
  DivergenceSettings,
  OpponentSettings,
  PolicySettings,
  ScoringSettings,
  SupervisedSettings,
  TrainConfig,
  TrainSettings,
  TreeSettings,
  WrittenObjective,
} from "./settings/config.ts";
export { parseTrainConfig } from "./settings/parse-train-config.ts";
export { settingPaths, valuePaths } from "./settings/schema.ts";
export { exampleShape, trainConfigSchema } from "./settings/schema.ts";
export { livePolicies, modelsOf, onePolicy, onlyPolicy } from "./spec/parts.ts";
export type { TrainingTask } from "@laconic/topologies";
export type { PartsOutline, Samplers, TrainedPolicy, TrainingParts } from "./spec/parts.ts";
export { runSpec, withReward } from "./spec/run-spec.ts";
export type { Learner } from "./spec/learning.ts";
export type { RunSpec, RunSpecOptions } from "./spec/run-spec.ts";
export {
  having,
  isValueSource,
  trainValues,
  typeName,
  type TrainValues,
  type Value,
  type ValueCheck,
  type ValueSource,
} from "./settings/values.ts";
export {
  estimatorValue,
  importanceOf,
  isNamedBudget,
  isNamedEstimator,
  isNamedObjective,
  isNamedRate,
} from "./settings/named.ts";

export type { GroupSource } from "./spec/group-source.ts";

export { regressionOf } from "./evaluation-warnings.ts";
export { evaluate, evaluationOptions, evaluationSampling, problemsOfSplit } from "./evaluate.ts";
export { criticsOf, withLearned } from "./learned.ts";
export { evaluationWarnings } from "./evaluation-warnings.ts";
export type { RecordedEpisode } from "@laconic/core/run-folder";
export type { Evaluation, Measured } from "./evaluate.ts";
export type { Language } from "./language.ts";
export { rewardOf, scorer } from "./scorer.ts";
export type { Scorer } from "./scorer.ts";
export { needsOldPass } from "./stages/old-log-probs.ts";
export { describeUnscored, scoringFailure, scoringReport } from "./stages/scoring-failure.ts";
export { supervised } from "./supervised/supervised.ts";
export type { SupervisedOptions } from "./supervised/supervised.ts";
export { encodeExample } from "./supervised/encode-example.ts";
export type { ExampleSettings, ExampleTokenizer } from "./supervised/encode-example.ts";
export { checkedExamples, exampleStream } from "./supervised/example-stream.ts";
export type { ExampleSize, ExampleStream, Learners, StreamOptions } from "./supervised/example-stream.ts";
export { learningRateAt } from "./settings/schedules.ts";
export type { LearningRateSchedule } from "./settings/schedules.ts";

export { openRun } from "./run/run-directory.ts";
export { runFiles } from "@laconic/core/run-folder";
export type { Run, RunObserver, RunOptions } from "./run/recorder.ts";
export { silentRecorder } from "./run/recorder.ts";
export type { Recorder, StepClock } from "./run/recorder.ts";
export { findCheckpoint } from "./run/checkpoint.ts";
export type { FoundCheckpoint } from "./run/checkpoint.ts";
export { loadWeights, modelPlace, policyFile } from "./run/checkpoint.ts";
export { learnedOf } from "./run/loop-state.ts";
export type { LoopState } from "./run/loop-state.ts";
export { nodeFileSystem } from "#platform";
export { explainedFileSystem } from "./run/file-system.ts";
export type { FileSystem } from "@laconic/core/files";
export { eachLine, lineAt, piecesOf, readLines, rowIn } from "./run/file-system.ts";
export { LineFile } from "./run/file-system.ts";
export { changesOf, sha256Of } from "./reading/run-manifest.ts";
export type { Change, RunManifest } from "./reading/run-manifest.ts";
export { damagedRows } from "./run/stored-run.ts";
export { manifestOfRun, readSettings } from "./run/stored-run.ts";
export { stepDefect } from "./reading/step-rows.ts";

export { sendRun } from "./run/sink-set.ts";
export type { SendOptions } from "./run/sink-set.ts";
export { validationMetrics } from "./sinks/validation-metrics.ts";
export type { CompleteSink, MetricSink, SinkOutcome, SinkRun } from "./sinks/metric-sink.ts";
export type { Metrics } from "./step-metrics.ts";
export { describeMetric, metricNames } from "./metric-names.ts";
export type { MetricName } from "./metric-names.ts";
