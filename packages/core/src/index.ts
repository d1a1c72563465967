/**
 * The vocabulary of Laconic: problems, episodes, ledgers, models, engines, rewards, estimators, objectives.
 * @module @laconic/core
 */
export { LaconicError, thrownText } from "./errors.ts";
export type { ErrorDetail, LaconicErrorCode } from "./errors.ts";
export { randomFromSeed, randomFromState, sampleStream } from "./numeric/random.ts";
export type { Random, RandomState } from "./numeric/random.ts";
export { assertSameLayout, ragged, raggedRow, raggedRows, raggedSelect } from "./numeric/ragged.ts";
export type { Ragged } from "./numeric/ragged.ts";
export { statisticMean, statisticOf } from "./numeric/statistic.ts";
export type { Diagnostics, Statistic } from "./numeric/statistic.ts";
export { questionKey } from "./problem.ts";
export type { AgentId, Problem } from "./problem.ts";
export { isCutShort } from "./language-model.ts";
export type {
  FinishReason,
  ChatMessage,
  Completion,
  CompletionRequest,
  DrawnToken,
  LanguageModel,
  LogProbsAtOne,
  ModelIdentity,
  OwnReply,
  Prompt,
  SamplingSettings,
  TokenTrace,
} from "./language-model.ts";
export type { Sampling, SamplingName } from "./sampling.ts";
export type { TokenUsage } from "./ledger/token-usage.ts";
export type { ChatTokenizer, TokenBytes, Tokenizer } from "./tokenizer.ts";
export { stopReasons } from "./episode/episode.ts";
export type { Episode, Message, Utterance, StopReason } from "./episode/episode.ts";
export { environmentName, ledgerTotals } from "./ledger/ledger.ts";
export type { Ledger, LedgerCall, LedgerRead, LedgerTotals } from "./ledger/ledger.ts";
export { countTokens } from "./ledger/cost-breakdown.ts";
export type { TokenCount } from "./ledger/cost-breakdown.ts";
export { episodeLimitsShape } from "./topology.ts";
export type { EpisodeBudget, EpisodeContext, EpisodeLimits, Topology } from "./topology.ts";
export { loraShape } from "./engine.ts";
export type {
  ModelResources,
  Engine,
  EngineCapabilities,
  AdapterSource,
  BaseSource,
  LoraSettings,
  ModelSource,
  OptimizerResult,
  PolicySnapshot,
  Sampler,
  SampleRequest,
  SampleResult,
  ForwardOptions,
  StopTexts,
  SequenceLogProbs,
  TokenGradient,
  TokenListener,
  StoredWeights,
  TrainableModel,
  ValueGradient,
  ValueModel,
  ValueModelOptions,
  ValueSequence,
  ValueSource,
  TrainingSequence,
} from "./engine.ts";
export type {
  Environment,
  EnvironmentAction,
  EnvironmentContext,
  EnvironmentStep,
  PlayedEnvironment,
  ReadCalls,
  StepReward,
  Observation,
  ToolDefinition,
  ToolFormat,
  ToolMessage,
  WrittenCall,
} from "./environment.ts";
export { maxReward } from "./reward.ts";
export type { EpisodeReward, Grader, GroupReward, Reward, RewardContext, RewardResult, RewardTerms } from "./reward.ts";
export { asEstimator } from "./estimator.ts";
export type { Advantages, Estimator, EstimatorFunction, Grouping, RewardBatch } from "./estimator.ts";
export type {
  Curriculum,
  Learned,
  EvaluationPoint,
  Matchmaking,
  MatchRequest,
  PoolMember,
  ProblemResult,
  Schedule,
  StoppingRule,
} from "./rules.ts";
export type { ExampleFunction, ExampleMessage, SupervisedExample, SupervisedExamples } from "./supervised-example.ts";
export { policyNeedKey } from "./objective.ts";
export type {
  BatchTotals,
  Objective,
  ObjectiveInput,
  ObjectiveOutput,
  PolicyNeed,
  PolicyNeedKey,
} from "./objective.ts";
export type { OptimizerSettings } from "./optimizer-settings.ts";
export { checkShape, findShapeMismatch, rangeOf } from "./shapes/find-shape-mismatch.ts";
export { fillDefaults } from "./shapes/fill-defaults.ts";
export { isRecord } from "./shapes/is-record.ts";
export type { UnknownRecord } from "./shapes/is-record.ts";
export { nearestName } from "./shapes/nearest-name.ts";
export { shownValue } from "./shapes/shown-value.ts";
export { group, shapes } from "./shapes/shape.ts";
export type { Field, FieldsOf, GroupShape, Shape, ValuesOf } from "./shapes/shape.ts";
