import { LaconicError, type AgentId, type Episode, type Grader, type RewardTerms } from "@laconic/core";
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
import { utteranceCredit } from "./credit.ts";
import type { Rollout } from "./rollout.ts";

/** A rollout with its reward: Eq. 1, term by term and summed. */
export interface ScoredRollout extends Rollout {
  readonly measured: MeasuredEpisode;
  readonly terms: RewardTerms;
  /** NaN when the task does not apply to the episode. */
  readonly reward: number;
  /** What each utterance is worth, by its turn; null where all share the reward. */
  readonly credit: ReadonlyMap<number, number> | null;
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

/**
 * @param agents - whose words cost; the whole team's when absent
 * @throws LaconicError `reward_invalid` naming problem and term.
 */
export function score(
  rollouts: readonly Rollout[],
  grader: Grader,
  config: TrainConfig,
  tokenPrice: number,
  agents?: ReadonlySet<AgentId>,
): ScoredRollout[] {
  const { prices, options } = pricingOf(config, tokenPrice);
  const termsOf = (episode: Episode, problem: Rollout["problem"]): [MeasuredEpisode, RewardTerms] => {
    // An agent that failed leaves nothing to judge.
    const judge: Grader = episode.stopReason === "error" ? () => Number.NaN : grader;
    const measured = measureEpisode(judge, equation1Costs, agents ? wordsOf(episode, agents) : episode, problem);
    return [measured, rewardTerms(measured, prices, options)];
  };
  return rollouts.map((each) => {
    const [measured, terms] = termsOf(each.episode, each.problem);
    const reward = rewardTotal(terms);
    const rewardWithout = (agent: AgentId): number => {
      const episode = each.without?.[agent];
      return episode ? rewardTotal(termsOf(episode, each.problem)[1]) : reward;
    };
    const costs = reward - measured.task;
    const credit = utteranceCredit(config.credit, each, grader, { reward, costs, rewardWithout });
    return { ...each, measured, terms, reward, credit };
  });
}

/** An episode with the words of some agents alone: what they cost. Its answer stays. */
function wordsOf(episode: Episode, agents: ReadonlySet<AgentId>): Episode {
  return {
    ...episode,
    utterances: episode.utterances.filter(({ agent }) => agents.has(agent)),
    ledger: { calls: episode.ledger.calls.filter(({ agent }) => agents.has(agent)) },
  };
}

/** Mean tokens per episode, as the budget counts them. */
export function meanTokens(scored: readonly ScoredRollout[]): number {
  if (scored.length === 0) throw new LaconicError("input_invalid", "a batch without episodes has no mean");
  return scored.reduce((sum, { measured }) => sum + (measured.costs["tokens"] as number), 0) / scored.length;
}
