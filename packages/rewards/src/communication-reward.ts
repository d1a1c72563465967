import type { Episode, Grader, Problem, RewardTerms } from "@laconic/core";
import { checkOption } from "./check-option.ts";
import { type Costs, type Prices, repetition, tokensWritten, turns } from "./costs.ts";
import { measureEpisode } from "./measure-episode.ts";
import { checkPrices, checkThreshold, rewardTerms, type PricingOptions } from "./reward-terms.ts";

/** The three costs of Eq. 1 for the whole team. */
export const equation1Costs: Costs = { tokens: tokensWritten(), turns: turns(), repetition: repetition() };

/** The task's grader, the costs, and their prices. */
export interface CommunicationRewardOptions extends PricingOptions {
  readonly grader: Grader;
  /** Defaults to {@link equation1Costs}. */
  readonly costs?: Costs;
  readonly prices: Prices;
}

/**
 * Agent-GSPO Eq. 1 as a synchronous `Reward`: r = task - λ_tok tokens - λ_turn turns - λ_rep repetition, as named terms. It is
 * {@link measureEpisode}, then {@link rewardTerms}: to change a price, keep the measurement and price it again, as a run does.
 * @throws LaconicError `config_invalid` at once for a bad price; `reward_invalid` if an episode cannot be scored
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
