/**
 * The vocabulary of Laconic: what packages say to each other, as types, plain data and a few pure functions.
 * @module @laconic/core
 */
export { checkedAnswer, checkedCall, checkValue, thrownText, type ValueName } from "./checked-call.ts";
export { LaconicError } from "./errors.ts";
export type { ErrorDetail, LaconicErrorCode } from "./errors.ts";

export { randomFromSeed, randomFromState, sampleStream } from "./numeric/random.ts";
export type { Random, RandomState } from "./numeric/random.ts";
export { cosine, sine } from "./numeric/cosine.ts";
export { exponential } from "./numeric/exponential.ts";
export { exponentialMinusOne } from "./numeric/exponential-minus-one.ts";
export { logarithm } from "./numeric/logarithm.ts";

export { stopEnd } from "./episode/stop-end.ts";
export { assertSameLayout, ragged, raggedRow, raggedRows, raggedSelect } from "./numeric/ragged.ts";
export type { Ragged } from "./numeric/ragged.ts";
export { joinSequences } from "./sequences/joined-sequences.ts";
export type { JoinedSequences } from "./sequences/joined-sequences.ts";
export { findBadLogProb, logProbRange, sampledLogProbRange } from "./numeric/log-prob.ts";
export type { LogProbRange } from "./numeric/log-prob.ts";

export {
  emptyStatistic,
  meanOf,
  mergeDiagnostics,
  mergeStatistics,
  statisticMean,
  statisticOf,
} from "./numeric/statistic.ts";
export type { Diagnostics, Statistic } from "./numeric/statistic.ts";
export { rankCorrelation } from "./numeric/rank-correlation.ts";
export { studentInterval, studentTest, varianceOfMean, type Estimate } from "./numeric/estimate.ts";
export { betaQuantile, studentQuantile } from "./numeric/quantiles.ts";
export { clusteredWilsonInterval, wilsonInterval, type Cluster } from "./numeric/wilson-interval.ts";

export type { AgentId, Problem } from "./problem.ts";
export { finishReasons, isCutShort, type FinishReason } from "./finish-reason.ts";
export { questionKey } from "./question-key.ts";
export type {
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
export { isConsistentUsage, sumKinds } from "./usage/token-usage.ts";
export { tokenUsageShape } from "./usage/token-usage-shape.ts";
export type { TokenCounts, TokenKinds, TokenUsage } from "./usage/token-usage.ts";
export {
  checkSampling,
  kernelSampling,
  samplingCuts,
  samplingFields,
  samplingFieldShapes,
  samplingNames,
  samplingOfFields,
  samplingParameters,
  supportedSampling,
} from "./sampling.ts";
export type { Sampling, SamplingFields, SamplingName, SamplingSupport } from "./sampling.ts";
export type { ChatTokenizer, TokenBytes, Tokenizer } from "./tokenizer.ts";
export { incrementalDecoder } from "./streaming/incremental-decoder.ts";
export type { IncrementalDecoder } from "./streaming/incremental-decoder.ts";
export { streamCompletion } from "./streaming/stream-completion.ts";
export { streamText } from "./streaming/stream-text.ts";
export type { StreamTokenizer } from "./streaming/stream-text.ts";
export type { Episode, Message, Utterance } from "./episode/episode.ts";
export { callTokens, ledgerTotals, tokenCounts } from "./episode/ledger.ts";
export type { Ledger, LedgerCall, LedgerRead, LedgerTotals } from "./episode/ledger.ts";
export { chargesOf, costBreakdown, countTokens, meanBreakdown } from "./episode/cost-breakdown.ts";
export type { Charge, CostBreakdown, CostSums, EdgeCost, TokenCount, TurnCost } from "./episode/cost-breakdown.ts";
export {
  broadcastAmplification,
  criticalPath,
  criticalSeconds,
  ledgerCost,
  silenceRates,
  sumLedgers,
} from "./episode/ledger-analysis.ts";
export { maxPrice, tokenCost, tokenPriceShape } from "./usage/token-price.ts";
export type { TokenPrice } from "./usage/token-price.ts";
export { stopReasons } from "./episode/stop-reason.ts";
export type { StopReason } from "./episode/stop-reason.ts";
export { episodeLimitsShape } from "./topology.ts";
export { loraShape } from "./engine.ts";
export { environmentName } from "./environment.ts";
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
export type { EpisodeBudget, EpisodeContext, EpisodeLimits, Topology } from "./topology.ts";
export { replyParts, withoutThoughts } from "./text/thoughts.ts";
export { boundedJson, maxJsonDepth, parseJson, tryParseJson } from "./bounded-json.ts";
export { exactJson, exactNumber, jsonEnd, JsonText, writeJson } from "./exact-json.ts";
export type { ExactJsonOptions } from "./exact-json.ts";
export { DisposalStack, disposing } from "./disposal-stack.ts";
export { backoffMs } from "./backoff.ts";
export { expectNotAborted, untilAborted } from "./until-aborted.ts";
export { wordTable } from "./word-table.ts";
export { withoutKey } from "./without-key.ts";
export { maxReward } from "./reward.ts";
export type { EpisodeReward, Grader, GroupReward, Reward, RewardContext, RewardResult, RewardTerms } from "./reward.ts";
export { asEstimator } from "./estimator.ts";
export type { Advantages, Estimator, EstimatorFunction, Grouping, RewardBatch } from "./estimator.ts";
export type { ModelResources } from "./model-resources.ts";
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
} from "./own-rules.ts";
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
export type {
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
export { checkOptimizerSettings, optimizerTable, type OptimizerSettings } from "./optimizer-settings.ts";
export { refuseRequest } from "./engine-checks/refuse-request.ts";
export { checkSampleRequests } from "./engine-checks/sample-requests.ts";
export type { ModelLimits } from "./engine-checks/sample-requests.ts";
export {
  checkTokenGradient,
  checkTopLogProbs,
  checkTrainingSequences,
  checkValueSequences,
} from "./engine-checks/training.ts";

export { checkShape, findShapeMismatch, rangeOf } from "./shapes/find-shape-mismatch.ts";
export { fillDefaults } from "./shapes/fill-defaults.ts";
export { isRecord, type UnknownRecord } from "./shapes/is-record.ts";
export { nearestName } from "./shapes/nearest-name.ts";
export { shownValue } from "./shapes/shown-value.ts";
export { group, shapes } from "./shapes/shape.ts";
export type { Field, FieldsOf, GroupShape, Shape, ValuesOf } from "./shapes/shape.ts";
