/**
 * The vocabulary of Laconic: problems, episodes, ledgers, models, engines, rewards, estimators, objectives.
 * @module @laconic/core
 */
export { configError, dataError, inputError, LaconicError, refuseSetting, thrownText } from "./errors.ts";
export type { ErrorDetail, LaconicErrorCode } from "./errors.ts";
export { randomFromSeed, randomFromState, sampleStream, type Random, type RandomState } from "./numeric/random.ts";
export { assertSameLayout, ragged, raggedRow, raggedSelect, type Ragged } from "./numeric/ragged.ts";
export { statisticMean, statisticOf, type Diagnostics, type Statistic } from "./numeric/statistic.ts";
export { questionKey, type AgentId, type Problem } from "./problem.ts";
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
export { stopReasons, type Episode, type Message, type Utterance, type StopReason } from "./episode/episode.ts";
export { environmentName, ledgerTotals, type Ledger, type LedgerCall } from "./ledger/ledger.ts";
export { countTokens, type TokenCount } from "./ledger/cost-breakdown.ts";
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
export { isRecord, mapValues, present, type UnknownRecord } from "./shapes/is-record.ts";
export { nameHint, nearestName } from "./shapes/nearest-name.ts";
export { shownValue } from "./shapes/shown-value.ts";
export { group, type Field, type FieldsOf, type GroupShape, type Shape, type ValuesOf } from "./shapes/shape.ts";
