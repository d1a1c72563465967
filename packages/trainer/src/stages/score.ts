import { type AgentId, environmentName, type Episode, inputError, ledgerTotals, type RewardTerms } from "@laconic/core";
import { meanOf } from "@laconic/core/numeric";
import { meanCosts, measureCosts, rewardTerms, rewardTotal, scoreValue } from "@laconic/rewards";
import type { Costs, MeasuredReward, Prices, PricingOptions } from "@laconic/rewards";
import { withoutOpponents } from "../opponents/games.ts";
import type { Played, Rollout } from "../rollout.ts";
import { truncatedShare, type BudgetMeasurement } from "@laconic/budget";

/** Rollout with its reward by Eq. 1. */
export interface ScoredRollout extends Rollout {
  readonly measured: MeasuredReward;
  readonly terms: RewardTerms;
  readonly reward: number;
  readonly agentRewards: ReadonlyMap<AgentId, number>;
  readonly turnRewards: ReadonlyMap<number, number>;
  /** Credit by turn; null if all share the reward. */
  readonly credit: ReadonlyMap<number, number> | null;
  readonly greedyReward?: number;
}

export interface Pricing extends PricingOptions {
  readonly costs: Costs;
  readonly prices: Prices;
  readonly ofOpponents?: readonly string[];
}

/**
 * Computes rewards.
 * @param agents - charged agents. Default all
 * @throws LaconicError `reward_invalid` naming problem and term
 */
export function score(rollouts: readonly Rollout[], pricing: Pricing, agents?: ReadonlySet<AgentId>): ScoredRollout[] {
  const { costs, prices, ofOpponents = [] } = pricing;
  const priced = ({ episode, score: outcome }: Played): [MeasuredReward, RewardTerms] => {
    const team = outcome?.status === "scored" ? outcome.reward.team : { task: Number.NaN };
    const message = agents ? tokensOf(episode, agents) : episode;
    const reduced = withoutOpponents(message);
    const of =
      reduced === message
        ? {}
        : measureCosts(
            Object.fromEntries(Object.entries(costs).filter(([name]) => ofOpponents.includes(name))),
            message,
          );
    const used = { ...measureCosts(costs, reduced), ...of };
    const measured = { task: scoreValue(outcome), terms: team, costs: used };
    return [measured, rewardTerms(measured, prices, pricing)];
  };
  const totalOf = (played: Played): number => rewardTotal(priced(played)[1], played.episode.problemId);
  return rollouts.map((rollout) => {
    const [measured, terms] = priced(rollout);
    const reward = rewardTotal(terms, rollout.problem.id);
    const { replays = [] } = rollout;
    return {
      ...rollout,
      measured,
      terms,
      reward,
      ...ownRewardsOf(rollout),
      credit:
        rollout.plan?.credits(
          reward,
          replays.map((replay) => ({ ...replay, reward: totalOf(replay) })),
        ) ?? null,
      ...(rollout.greedy && { greedyReward: totalOf(rollout.greedy) }),
    };
  });
}

function ownRewardsOf({ score: outcome, problem }: Rollout): Pick<ScoredRollout, "agentRewards" | "turnRewards"> {
  const { agents = {}, turns = {} } = outcome?.status === "scored" ? outcome.reward : {};
  const totals = (by: Readonly<Record<string, RewardTerms>>): [string, number][] =>
    Object.entries(by).map(([name, terms]) => [name, rewardTotal(terms, problem.id)]);
  return {
    agentRewards: new Map(totals(agents)),
    turnRewards: new Map(totals(turns).map(([turn, total]) => [Number(turn), total])),
  };
}

/** Keeps the tokens of some agents, and the answer. */
export function tokensOf(episode: Episode, agents: ReadonlySet<AgentId>): Episode {
  return {
    ...episode,
    utterances: episode.utterances.filter(({ agent }) => agents.has(agent)),
    ledger: { calls: episode.ledger.calls.filter(({ agent }) => agents.has(agent)) },
  };
}

/** Mean units of a cost per episode. The ledger counts tokens that are not a cost. */
export function meanCost(scored: readonly ScoredRollout[], cost = "tokens"): number {
  if (scored.length === 0) throw inputError("a batch without episodes has no mean");
  const units = scored.map(({ measured, episode }) => ({
    ...measured,
    costs: { tokens: ledgerTotals(episode.ledger).writtenTokens, ...measured.costs },
  }));
  return meanCosts(units)[cost] ?? Number.NaN;
}

/**
 * Environment rewards from a turn until the agent's next: the agent's, and the team's if shared. Earlier steps belong
 * to no turn.
 */
export function rewardOfSteps(
  { episode, score: outcome, credit }: Pick<ScoredRollout, "episode" | "score" | "credit">,
  agent: AgentId,
  turn: number,
): number {
  const { team = {}, agents = {} } = outcome?.status === "scored" ? outcome.reward : {};
  const hasTeams = credit === null && team[environmentName] !== undefined;
  const hasOwn = agents[agent]?.[environmentName] !== undefined;
  const later = episode.utterances
    .filter((utterance) => utterance.agent === agent && utterance.turn > turn)
    .map((utterance) => utterance.turn);
  const next = Math.min(...later);
  let sum = 0;
  for (const { turn: index, reward } of episode.observations ?? []) {
    if (reward === undefined || index < turn || index >= next) continue;
    if (typeof reward === "number") sum += hasTeams ? reward : 0;
    else sum += hasOwn ? (reward[agent] ?? 0) : 0;
  }
  return sum;
}

/** A step's use of a cost, for Eq. 5 and its guard. */
export function measurementOf(scored: readonly ScoredRollout[], cost = "tokens"): BudgetMeasurement {
  const episodes = scored.map(({ episode }) => withoutOpponents(episode));
  const turns = episodes.flatMap(({ utterances }) => utterances);
  const tasks = scored.map(({ measured }) => measured.task).filter((task) => !Number.isNaN(task));
  return {
    tokens: meanCost(scored, cost),
    taskReward: meanOf(tasks) ?? 0,
    silenceRate: turns.filter(({ silent }) => silent).length / Math.max(1, turns.length),
    truncatedShare: truncatedShare(episodes),
  };
}
