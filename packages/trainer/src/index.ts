/**
 * The Agent-GSPO training loop (Algorithm 1), its run directory and its metrics.
 * @module @laconic/trainer
 */
export { checkTraining } from "./spec/check-training.ts";
export { train, type TrainOptions, type TrainResult } from "./train.ts";
export { matchmakings, type Learner } from "./spec/learning.ts";
export type { OpponentResult } from "./opponents/games.ts";
export {
  agentGspoDefaults,
  asynchronousDefaults,
  opponentDefaults,
  supervisedDefaults,
  type AdvantageSettings,
  type AsynchronousSettings,
  type CreditSettings,
  type ObjectiveSettings,
  type DivergenceSettings,
  type OpponentSettings,
  type PolicySettings,
  type ScoringSettings,
  type SupervisedSettings,
  type TrainConfig,
  type TrainSettings,
  type TreeSettings,
  type WrittenObjective,
} from "./settings/config.ts";
export { credits, type Credit, type CreditInput, type CreditPlan, type RewardedReplay } from "./settings/credit.ts";
export { parseTrainConfig } from "./settings/parse-train-config.ts";
export { settingPaths, valuePaths, exampleShape, trainConfigSchema } from "./settings/schema.ts";
export { livePolicies, modelsOf, onePolicy, onlyPolicy } from "./spec/parts.ts";
export type { PartsOutline, Samplers, TrainedPolicy, TrainingParts, GroupSource } from "./spec/parts.ts";
export type { EpisodeChange, TrainingTask } from "@laconic/topologies";
export { runSpec, withReward, type RunSpec, type RunSpecOptions } from "./spec/run-spec.ts";
export { having, isValueSource, trainValues, typeName } from "./settings/values.ts";
export type { TrainValues, Value, ValueCheck, ValueSource } from "./settings/values.ts";
export {
  estimatorValue,
  importanceOf,
  isNamedBudget,
  isNamedEstimator,
  isNamedObjective,
  isNamedRate,
} from "./settings/named.ts";
export { regressionOf, evaluationWarnings } from "./evaluation-warnings.ts";
export { evaluate, evaluationOptions, evaluationSampling, problemsOfSplit } from "./evaluate.ts";
export type { Evaluation, Measured } from "./evaluate.ts";
export { criticsOf, withLearned } from "./learned.ts";
export { runFiles, type RecordedEpisode } from "@laconic/core/run-folder";
export type { Language } from "./language.ts";
export { rewardOf, scorer, type Scorer } from "./scorer.ts";
export { needsOldPass } from "./stages/old-log-probs.ts";
export { describeUnscored, scoringFailure, scoringReport } from "./stages/scoring-failure.ts";
export { supervised, type Likelihood, type SupervisedOptions, type WeightedSequence } from "./supervised/supervised.ts";
export { encodeExample, type ExampleSettings, type ExampleTokenizer } from "./supervised/encode-example.ts";
export { checkedExamples, exampleStream } from "./supervised/example-stream.ts";
export type { ExampleSize, ExampleStream, Learners, StreamOptions } from "./supervised/example-stream.ts";
export { learningRateAt, type LearningRateSchedule } from "./settings/schedules.ts";
export { openRun } from "./run/run-directory.ts";
export { silentRecorder } from "./run/recorder.ts";
export type { Run, RunObserver, RunOptions, Recorder, StepClock } from "./run/recorder.ts";
export { findCheckpoint, loadWeights, modelPlace, policyFile, type FoundCheckpoint } from "./run/checkpoint.ts";
export { learnedOf, type LoopState } from "./run/loop-state.ts";
export { nodeFileSystem } from "#platform";
export { explainedFileSystem } from "./reading/explained-file-system.ts";
export type { FileSystem } from "@laconic/core/files";
export { eachLine, lineAt, readLines, rowOf as rowIn, stepDefect } from "./reading/rows.ts";
export { lineAppender, piecesOf } from "./run/file-system.ts";
export { changesOf, manifestOfRun, readSettings, sha256Of } from "./reading/run-manifest.ts";
export type { Change, RunManifest } from "./reading/run-manifest.ts";
export { damagedRows } from "./run/stored-run.ts";
export { sendRun, type SendOptions } from "./sinks/sink-set.ts";
export { validationMetrics } from "./sinks/validation-metrics.ts";
export type { CompleteSink, MetricSink, SinkOutcome, SinkRun } from "./sinks/metric-sink.ts";
export type { Metrics } from "./step-metrics.ts";
export { describeMetric, metricNames, type MetricName } from "./metric-names.ts";
