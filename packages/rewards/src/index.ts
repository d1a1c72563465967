/**
 * Communication-aware reward (Agent-GSPO Eq. 1): task, tokens, turns and repetition as named terms.
 * @module @laconic/rewards
 */
export { countScores, scoreValue, unscoredShare } from "./sample-score.ts";
export type { SampleScore, ScoreCounts, Undecided } from "./sample-score.ts";
export { addRewards, graded, readReward, termsOf } from "./read-reward.ts";
export type { RewardOutcome } from "./read-reward.ts";
export { timerOf, withDeadline } from "./deadline.ts";
export type { Answered, Ask, Timer } from "./deadline.ts";
export { communicationReward, equation1Costs } from "./communication-reward.ts";
export type { CommunicationRewardOptions } from "./communication-reward.ts";
export { measureCosts, measureEpisode, meanCosts } from "./measure-episode.ts";
export type { MeasuredReward } from "./measure-episode.ts";
export { rewardTerms, rewardTotal } from "./reward-terms.ts";
export type { PricingOptions } from "./reward-terms.ts";
export { tokensRead, tokensWritten, turns, repetition, overlong } from "./costs.ts";
export type { Cost, Costs, CostScope, Prices, TurnOptions, RepetitionOptions, OverlongOptions } from "./costs.ts";
export { modelReward } from "./model-reward.ts";
export type { ModelRewardSettings, NamedModelReward, ReadyModelReward } from "./model-reward.ts";
export { costPreset, costShapes } from "./cost-presets.ts";
export type { CostSettings } from "./cost-presets.ts";
export { decoupledEstimator, decoupledShape } from "./decoupled-estimator.ts";
export { decoupledAdvantages } from "./decoupled-advantages.ts";
export type { DecoupledOptions } from "./decoupled-advantages.ts";
export { priceIndependence } from "./price-independence.ts";
export { bestMark, createJudge, judgeReward, judgeGrader } from "./judge/judge.ts";
export type {
  Criterion,
  Rubric,
  Judge,
  JudgedAnswer,
  JudgeOptions,
  Marks,
  JudgeRewardOptions,
  JudgeGraderOptions,
  JudgeVerdict,
} from "./judge/judge.ts";
export type { Judged } from "./judge/fence.ts";
export type { JudgeSettings, Verdict } from "./judge/ask-judge.ts";
export { agreement } from "./judge/agreement.ts";
export type { Agreement, LabelledAnswer } from "./judge/agreement.ts";
export { createPreference, winRate } from "./judge/preference.ts";
export type { AnswerPair, Preference, PreferenceJudge, PreferenceOptions, WinRate } from "./judge/preference.ts";
