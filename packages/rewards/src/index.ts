/**
 * Communication-aware reward (Agent-GSPO Eq. 1).
 * @module @laconic/rewards
 */
export { countScores, scoreValue, unscoredShare } from "./sample-score.ts";
export type { SampleScore, ScoreCounts, Undecided } from "./sample-score.ts";
export { addRewards, graded, readReward, termsOf, type RewardOutcome } from "./read-reward.ts";
export { timerOf, withDeadline, type Answered, type Ask, type Timer } from "./deadline.ts";
export { communicationReward, equation1Costs, type CommunicationRewardOptions } from "./communication-reward.ts";
export { measureCosts, measureEpisode, meanCosts, type MeasuredReward } from "./measure-episode.ts";
export { rewardTerms, rewardTotal, type PricingOptions } from "./reward-terms.ts";
export { tokensRead, tokensWritten, turns, repetition, overlong } from "./costs.ts";
export type { Cost, Costs, CostScope, Prices, TurnOptions, RepetitionOptions, OverlongOptions } from "./costs.ts";
export { modelReward, type ModelRewardSettings, type NamedModelReward, type ReadyModelReward } from "./model-reward.ts";
export { costPreset, costShapes, tokenCountOf, type CostSettings } from "./cost-presets.ts";
export { decoupledEstimator, decoupledShape } from "./decoupled-estimator.ts";
export { decoupledAdvantages, type DecoupledOptions } from "./decoupled-advantages.ts";
export { priceIndependence } from "./price-independence.ts";
export {
  bestMark,
  createJudge,
  judgeReward,
  judgeGrader,
  type Criterion,
  type Rubric,
  type Judge,
  type JudgedAnswer,
  type JudgeOptions,
  type Marks,
  type JudgeRewardOptions,
  type JudgeGraderOptions,
  type JudgeVerdict,
} from "./judge/judge.ts";
export type { Judged } from "./judge/fence.ts";
export type { JudgeSettings, Verdict } from "./judge/ask-judge.ts";
export { agreement, type Agreement, type LabelledAnswer } from "./judge/agreement.ts";
export { createPreference, winRate } from "./judge/preference.ts";
export type { AnswerPair, Preference, PreferenceJudge, PreferenceOptions, WinRate } from "./judge/preference.ts";
