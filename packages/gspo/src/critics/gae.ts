import { statisticOf, type Advantages, type Estimator, type RewardBatch } from "@laconic/core";
import { checkOption } from "../check-option.ts";
import type { Critic } from "./critic.ts";

export interface GaeOptions {
  /** Discount, 0 to 1. */
  readonly gamma: number;
  /** 0 uses the critic for each next turn, 1 only rewards to the end. */
  readonly lambda: number;
}

/**
 * Generalised advantage estimation (Schulman et al. 2016, Eq. 16): δ_t = r_t + γ V_{t+1} - V_t, A_t = δ_t + γ λ
 * A_{t+1}, V_T = 0.
 * @param rewards - per step; `values` - of the state before the step
 */
export function gae(
  rewards: ArrayLike<number>,
  values: ArrayLike<number>,
  { gamma, lambda }: GaeOptions,
): Float64Array {
  const advantages = new Float64Array(rewards.length);
  let [next, nextValue] = [0, 0];
  for (let t = rewards.length - 1; t >= 0; t--) {
    const value = values[t]!;
    next = rewards[t]! + gamma * nextValue - value + gamma * lambda * next;
    advantages[t] = next;
    nextValue = value;
  }
  return advantages;
}

/**
 * Advantages from a critic trained with the policy. A trajectory is an agent's turns in an episode; the last turn gets
 * the remaining reward. The critic values a step before learning from it, so advantages stay unbiased. Needs
 * single-agent rows (`groupBy`); one episode per problem suffices.
 * @throws LaconicError `config_invalid`
 */
export function gaeEstimator<State>({
  gamma,
  lambda,
  critic,
}: GaeOptions & { readonly critic: Critic<State> }): Estimator<State> {
  for (const [key, value] of Object.entries({ gamma, lambda }))
    checkOption(value >= 0 && value <= 1, `gae: ${key}`, value, "from 0 to 1");
  const { weights, open } = critic;
  return {
    name: "gae",
    settings: { gamma, lambda, critic: critic.name },
    needs: ["agents"],
    ...(weights && { weights }),
    ...(open && {
      open: async (resources) => gaeEstimator({ gamma, lambda, critic: await open.call(critic, resources) }),
    }),
    init: () => critic.init(),
    async estimate(batch, state): Promise<Advantages<State>> {
      const values = await critic.values(batch, state);
      const advantages = new Float64Array(batch.rewards.length);
      for (const rows of trajectoriesOf(batch)) {
        const rewards = rewardsOf(batch, rows);
        if (!rewards) continue;
        const out = gae(
          rewards,
          rows.map((row) => values[row]!),
          { gamma, lambda },
        );
        rows.forEach((row, t) => (advantages[row] = out[t]!));
      }
      const targets = advantages.map((advantage, row) => advantage + values[row]!);
      return {
        advantages,
        state: await critic.fit(batch, targets, state),
        diagnostics: {
          advantages: statisticOf(advantages),
          "critic/value": statisticOf(values),
          "critic/squared_error": statisticOf(advantages.map((value) => value * value)),
        },
      };
    },
  };
}

function trajectoriesOf({ episodes, agents = [], utterances }: RewardBatch): number[][] {
  const byEpisode = new Map<object, Map<string, number[]>>();
  episodes.forEach((episode, row) => {
    const turns = byEpisode.get(episode) ?? new Map<string, number[]>();
    byEpisode.set(episode, turns);
    const agent = agents[row] ?? "";
    turns.set(agent, [...(turns.get(agent) ?? []), row]);
  });
  const turnOf = (row: number) => utterances[row]?.[0]?.turn ?? 0;
  return Array.from(byEpisode.values(), (turns) => [...turns.values()])
    .flat()
    .map((rows) => rows.toSorted((a, b) => turnOf(a) - turnOf(b)));
}

/** Null if the reward does not apply. */
function rewardsOf({ rewards, turnRewards, stepRewards }: RewardBatch, rows: readonly number[]): number[] | null {
  let input = 0;
  const list = rows.map((row, t) => {
    if (t === rows.length - 1) return rewards[row]! - input;
    const step = stepRewards[row]!;
    input += step;
    return turnRewards[row]! + step;
  });
  return list.some(Number.isNaN) ? null : list;
}
