import type { Episode, Grader, Problem, RewardTerms } from "@laconic/core";
import { checkOption } from "./check-option.ts";
import { type Costs, type Prices, repetition, tokensWritten, turns } from "./costs.ts";
import { measureEpisode } from "./measure-episode.ts";
import { checkPrices, checkThreshold, rewardTerms, type PricingOptions } from "./reward-terms.ts";

/** Team costs of Eq. 1. */
export const equation1Costs: Costs = { tokens: tokensWritten(), turns: turns(), repetition: repetition() };

/** Grader, costs and prices. */
export interface CommunicationRewardOptions extends PricingOptions {
  readonly grader: Grader;
  /** Default {@link equation1Costs}. */
  readonly costs?: Costs;
  readonly prices: Prices;
}

/**
 * Agent-GSPO Eq. 1: r = task - λ_tok tokens - λ_turn turns - λ_rep repetition. Runs call `measureEpisode` and
 * `rewardTerms` instead, to change prices later.
 * @throws LaconicError `config_invalid` for a bad price; `reward_invalid` if an episode cannot be scored
 */
export function communicationReward(
  options: CommunicationRewardOptions,
): (episode: Episode, problem: Problem) => RewardTerms {
  const { grader, costs = equation1Costs, prices } = options;
  checkOption("costs.task", "the name of the grade", !Object.hasOwn(costs, "task"), "named otherwise");
  checkPrices(prices, Object.keys(costs));
  checkThreshold(options);
  return (episode, problem) => rewardTerms(measureEpisode(grader, costs, episode, problem), prices, options);
}
