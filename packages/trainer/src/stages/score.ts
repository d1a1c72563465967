import { LaconicError, type Grader, type RewardTerms } from "@laconic/core";
import {
  equation1Costs,
  measureEpisode,
  rewardTerms,
  rewardTotal,
  type MeasuredEpisode,
  type Prices,
  type PricingOptions,
} from "@laconic/rewards";
import type { TrainConfig } from "../config.ts";
import type { Rollout } from "./rollout.ts";

/** A rollout with its reward: Eq. 1, term by term and summed. */
export interface ScoredRollout extends Rollout {
  readonly measured: MeasuredEpisode;
  readonly terms: RewardTerms;
  /** NaN when the task does not apply to the episode. */
  readonly reward: number;
}

/** λ of each cost in a step, and which episodes pay. */
export function pricingOf(
  config: TrainConfig,
  tokenPrice: number,
): { readonly prices: Prices; readonly options: PricingOptions } {
  const { prices, costWhenTaskAtLeast } = config;
  return {
    prices: { ...prices, tokens: tokenPrice },
    options: costWhenTaskAtLeast === undefined ? {} : { costWhenTaskAtLeast },
  };
}

/** @throws LaconicError `reward_invalid` naming problem and term. */
export function score(
  rollouts: readonly Rollout[],
  grader: Grader,
  config: TrainConfig,
  tokenPrice: number,
): ScoredRollout[] {
  const { prices, options } = pricingOf(config, tokenPrice);
  return rollouts.map((each) => {
    const measured = measureEpisode(grader, equation1Costs, each.episode, each.problem);
    const terms = rewardTerms(measured, prices, options);
    return { ...each, measured, terms, reward: rewardTotal(terms) };
  });
}

/** Mean tokens per episode, as the budget counts them. */
export function meanTokens(scored: readonly ScoredRollout[]): number {
  if (scored.length === 0) throw new LaconicError("input_invalid", "a batch without episodes has no mean");
  return scored.reduce((sum, { measured }) => sum + (measured.costs["tokens"] as number), 0) / scored.length;
}
