import { LaconicError, ledgerTotals, type AgentId, type Episode, type RewardTerms } from "@laconic/core";
import {
  meanCosts,
  measureCosts,
  rewardTerms,
  rewardTotal,
  scoreValue,
  type Costs,
  type MeasuredReward,
  type Prices,
  type PricingOptions,
} from "@laconic/rewards";
import type { CreditSettings } from "../settings/config.ts";
import { withoutOpponents } from "../opponents/games.ts";
import { utteranceCredit } from "./credit.ts";
import type { Rollout } from "../rollout.ts";

/** A rollout with its reward: Eq. 1, term by term and summed. */
export interface ScoredRollout extends Rollout {
  readonly measured: MeasuredReward;
  readonly terms: RewardTerms;
  /** NaN when the reward does not apply to the episode. */
  readonly reward: number;
  /** What single agents earned beside the team, summed; empty where all share the reward. */
  readonly agentRewards: ReadonlyMap<AgentId, number>;
  /** What single utterances earned beside, by turn, summed. */
  readonly turnRewards: ReadonlyMap<number, number>;
  /** What each utterance is worth, by its turn; null where all share the reward. */
  readonly credit: ReadonlyMap<number, number> | null;
  /** Reward of the problem's greedy episode, where there is one. */
  readonly greedyReward?: number;
}

/** What is charged in a step: each cost at its λ, and which episodes pay. */
export interface Pricing extends PricingOptions {
  readonly costs: Costs;
  readonly prices: Prices;
  readonly credit: CreditSettings;
  /** Costs that count opponents' words too. */
  readonly ofOpponents?: readonly string[];
}

/**
 * Prices what episodes earned and used.
 * @param agents - whose words cost; the whole team's when absent
 * @throws LaconicError `reward_invalid` naming problem and term.
 */
export function score(rollouts: readonly Rollout[], pricing: Pricing, agents?: ReadonlySet<AgentId>): ScoredRollout[] {
  const { costs, prices, credit, ofOpponents = [] } = pricing;
  const priced = ({ episode, score: outcome }: Pick<Rollout, "episode" | "score">): [MeasuredReward, RewardTerms] => {
    const team = outcome?.status === "scored" ? outcome.reward.team : { task: Number.NaN };
    const said = agents ? tokensOf(episode, agents) : episode;
    const own = withoutOpponents(said);
    const of = own === said ? {} : measureCosts(costsNamed(costs, ofOpponents), said);
    const used = { ...measureCosts(costs, own), ...of };
    const measured = { task: scoreValue(outcome), terms: team, costs: used };
    return [measured, rewardTerms(measured, prices, pricing)];
  };
  const totalOf = (played: Pick<Rollout, "episode" | "score">): number =>
    rewardTotal(priced(played)[1], played.episode.problemId);
  return rollouts.map((each) => {
    const [measured, terms] = priced(each);
    const reward = rewardTotal(terms, each.problem.id);
    const rewardWithout = (agent: AgentId): number => {
      const played = each.without?.[agent];
      return played ? totalOf(played) : reward;
    };
    const charged = reward - rewardTotal(measured.terms ?? {}, each.problem.id);
    return {
      ...each,
      measured,
      terms,
      reward,
      ...ownRewardsOf(each),
      credit: utteranceCredit(credit, each, { reward, costs: charged, rewardWithout }),
      ...(each.greedy && { greedyReward: totalOf(each.greedy) }),
    };
  });
}

function costsNamed(costs: Costs, names: readonly string[]): Costs {
  return Object.fromEntries(Object.entries(costs).filter(([name]) => names.includes(name)));
}

/** Beside the team's: of agents, and of turns. */
function ownRewardsOf({ score: outcome, problem }: Rollout): Pick<ScoredRollout, "agentRewards" | "turnRewards"> {
  const { agents = {}, turns = {} } = outcome?.status === "scored" ? outcome.reward : {};
  const totals = (by: Readonly<Record<string, RewardTerms>>): [string, number][] =>
    Object.entries(by).map(([name, terms]) => [name, rewardTotal(terms, problem.id)]);
  return {
    agentRewards: new Map(totals(agents)),
    turnRewards: new Map(totals(turns).map(([turn, total]) => [Number(turn), total])),
  };
}

/** An episode with the words of some agents alone: what they cost. Its answer stays. */
export function tokensOf(episode: Episode, agents: ReadonlySet<AgentId>): Episode {
  return {
    ...episode,
    utterances: episode.utterances.filter(({ agent }) => agents.has(agent)),
    ledger: { calls: episode.ledger.calls.filter(({ agent }) => agents.has(agent)) },
  };
}

/** Mean units of a cost per episode, as a budget counts them; tokens are those of the ledger where they are no cost. */
export function meanCost(scored: readonly ScoredRollout[], cost = "tokens"): number {
  if (scored.length === 0) throw new LaconicError("input_invalid", "a batch without episodes has no mean");
  const units = scored.map(({ measured, episode }) => ({
    ...measured,
    costs: { tokens: ledgerTotals(episode.ledger).writtenTokens, ...measured.costs },
  }));
  return meanCosts(units)[cost] ?? Number.NaN;
}
