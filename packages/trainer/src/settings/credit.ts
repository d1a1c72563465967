import { inputError, type AgentId, type Episode, type Random } from "@laconic/core";
import type { EpisodeChange } from "@laconic/topologies";

/** Input of a {@link Credit}. */
export interface CreditInput {
  readonly episode: Episode;
  /** Agents that learn from the episode. */
  readonly agents: readonly AgentId[];
  readonly random: Random;
}

/** Replays of an episode, and the credit that follows from their rewards. */
export interface CreditPlan {
  /** Changes to replay; at most 64. */
  readonly changes: readonly EpisodeChange[];
  /**
   * Returns the credit of messages by turn. Other messages get the reward.
   * @param replays - one for each change, in its order
   */
  readonly credits: (reward: number, replays: readonly RewardedReplay[]) => ReadonlyMap<number, number>;
}

/** Episode that was played again, and its reward. */
export interface RewardedReplay {
  readonly episode: Episode;
  readonly reward: number;
}

/** Divides a team's reward among its messages. */
export type Credit = (input: CreditInput) => CreditPlan;

/** Max replays of an episode. */
export const maxReplays = 64;

/** Difference rewards (Wolpert & Tumer 2002): the reward minus that with the speaker silent. */
const difference: Credit = ({ episode, agents }) => ({
  changes: agents.map((agent) => ({ silent: [agent] })),
  credits: (reward, replays) => {
    const without = new Map(agents.map((agent, i) => [agent, replays[i]!.reward]));
    return creditByAgent(episode, (agent) => reward - (without.get(agent) ?? reward));
  },
});

/** A message gets the reward minus that of a replay without it. A silent message gets 0. */
const message: Credit = ({ episode, agents }) => {
  const turns = episode.utterances.filter(({ agent }) => agents.includes(agent));
  const spoken = turns.filter(({ silent }) => !silent).map(({ turn }) => turn);
  return {
    changes: spoken.map((turn) => ({ messages: { [turn]: "" } })),
    credits: (reward, replays) =>
      new Map([
        ...turns.map(({ turn }) => [turn, 0] as const),
        ...spoken.map((turn, i) => [turn, reward - replays[i]!.reward] as const),
      ]),
  };
};

/**
 * Shapley values (Shapley 1953): an agent's mean gain over orders in which the agents join; the others are silent.
 * @param samples - random orders; null for all orders
 */
function shapley(samples: number | null): Credit {
  return ({ episode, agents, random }) => {
    const orders = samples === null ? ordersOf(agents) : Array.from({ length: samples }, () => random.shuffle(agents));
    const silent = (members: readonly AgentId[]) => agents.filter((agent) => !members.includes(agent));
    const coalitions = new Map(
      orders.flatMap((order) => order.map((_, size) => silent(order.slice(0, size)))).map((of) => [of.join("\n"), of]),
    );
    return {
      changes: Array.from(coalitions.values(), (agentsOutside) => ({ silent: agentsOutside })),
      credits: (reward, replays) => {
        const rewards = new Map([
          ["", reward],
          ...Array.from(coalitions.keys(), (key, i) => [key, replays[i]!.reward] as const),
        ]);
        const rewardOf = (members: readonly AgentId[]): number => rewards.get(silent(members).join("\n"))!;
        return creditByAgent(episode, (agent) => {
          const gains = orders.map((order) => {
            const size = order.indexOf(agent);
            return size < 0 ? 0 : rewardOf(order.slice(0, size + 1)) - rewardOf(order.slice(0, size));
          });
          return gains.reduce((sum, gain) => sum + gain, 0) / orders.length;
        });
      },
    };
  };
}

function ordersOf<T>(items: readonly T[]): T[][] {
  if (2 ** items.length > maxReplays)
    throw inputError(`exact Shapley values of ${items.length} agents need over ${maxReplays} replays; set samples`);
  if (items.length === 0) return [[]];
  return items.flatMap((first) => ordersOf(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}

function creditByAgent({ utterances }: Episode, creditOf: (agent: AgentId) => number): ReadonlyMap<number, number> {
  const credits = new Map(utterances.map(({ agent }) => [agent, creditOf(agent)]));
  return new Map(utterances.map(({ agent, turn }) => [turn, credits.get(agent)!]));
}

/** Credits by name. */
export const credits: {
  readonly difference: Credit;
  readonly message: Credit;
  readonly shapley: (samples: number | null) => Credit;
} = { difference, message, shapley };
