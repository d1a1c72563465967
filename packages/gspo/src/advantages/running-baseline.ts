import { LaconicError, maxReward } from "@laconic/core";
import { checkOption } from "../check-option.ts";
import { checkRewards } from "./groups.ts";

/** Exponential mean of rewards per agent: plain data, for a checkpoint. */
export type RunningBaselineState = Readonly<Record<string, number>>;

/**
 * Role-conditioned advantage estimation (RAE, prime-rl): A = r - b_agent, then b moves towards r.
 * Baselines start at 0 and warm up over about 1 / (1 - decay) rewards.
 *
 * A NaN reward does not apply: it gets 0 and moves no baseline.
 *
 * @param decay - weight of the past, 0.95
 * @param weights - how far each reward moves its baseline, as a share of a whole reward, [S]; 1 by default
 * @throws LaconicError `reward_invalid` for a reward beyond ±`maxReward`, `input_invalid` when lengths differ or a stored
 * baseline is no such number, `config_invalid`.
 */
export function runningBaseline(
  state: RunningBaselineState,
  rewards: ArrayLike<number>,
  agents: readonly string[],
  decay = 0.95,
  weights?: ArrayLike<number>,
): { readonly advantages: Float64Array; readonly state: RunningBaselineState } {
  checkOption(decay >= 0 && decay < 1, "running baseline: decay", decay, "in [0, 1)");
  if (agents.length !== rewards.length)
    throw new LaconicError("input_invalid", `${agents.length} agents for ${rewards.length} rewards`);
  checkRewards(rewards);
  // A map, because an agent may be called like a property that every object has.
  const next = new Map(Object.entries(state));
  for (const [agent, baseline] of next)
    if (!(Math.abs(baseline) <= maxReward))
      throw new LaconicError("input_invalid", `running baseline: the state of agent "${agent}" is ${baseline}`, {
        agent,
      });
  const advantages = Float64Array.from(rewards, (reward, s) => {
    if (Number.isNaN(reward)) return 0;
    const agent = agents[s] as string;
    const baseline = next.get(agent) ?? 0;
    const past = weights?.[s] === undefined || weights[s] === 1 ? decay : decay ** weights[s];
    next.set(agent, past * baseline + (1 - past) * reward);
    return reward - baseline;
  });
  return { advantages, state: Object.fromEntries(next) };
}
