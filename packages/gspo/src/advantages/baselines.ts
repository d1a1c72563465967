import { inputError, LaconicError, maxReward } from "@laconic/core";
import { exponential, logarithm, logGamma } from "@laconic/core/numeric";
import { checkOption } from "../check-option.ts";
import {
  checkRewards,
  deviation,
  groupDiagnostics,
  perGroup,
  rewardGroups,
  type AdvantageResult,
  type Column,
  allEqual,
  mean,
} from "./groups.ts";
import { groupAdvantages } from "./group-advantage.ts";

/** RLOO (Ahmadian et al. 2024): r minus the mean of the others, (r - mean) G / (G - 1). */
export function rloo(rewards: Column, groups: Column, weights?: Column): AdvantageResult {
  return perGroup(rewards, groups, weights, (group) =>
    group.rewards.map((reward) => ((reward - group.mean) * group.size) / (group.size - 1)),
  );
}

/** REINFORCE: the reward itself, without baseline. */
export function rawRewards(rewards: Column, groups: Column, weights?: Column): AdvantageResult {
  const split = rewardGroups(rewards, groups, weights);
  const advantages = Float64Array.from(rewards, (reward) => (Number.isNaN(reward) ? 0 : reward));
  return { advantages, diagnostics: groupDiagnostics(rewards, split, advantages) };
}

/** GPG by verl's formula: (N / nonzero rewards) (r - mean), with the loss `reinforce` and a token mean. */
export function gpg(rewards: Column, groups: Column, weights?: Column): AdvantageResult {
  const count = (counts: (reward: number) => boolean) =>
    Array.from(rewards).reduce((sum, reward, row) => sum + (counts(reward) ? (weights?.[row] ?? 1) : 0), 0);
  const scale =
    count((reward) => !Number.isNaN(reward)) /
    Math.max(
      1,
      count((reward) => Math.abs(reward) > 0),
    );
  return perGroup(rewards, groups, weights, (group) => group.rewards.map((reward) => scale * (reward - group.mean)));
}

/**
 * ReMax (Li et al. 2024): r minus the greedy reply's reward.
 * @throws LaconicError `reward_invalid` beyond ±`maxReward`
 */
export function remax(rewards: Column, groups: Column, greedyRewards: Column): AdvantageResult {
  if (greedyRewards.length !== rewards.length)
    throw inputError(`remax: ${greedyRewards.length} greedy rewards for ${rewards.length} rewards`);
  const split = rewardGroups(rewards, groups);
  checkRewards(greedyRewards, "remax: greedy reward");
  const advantages = Float64Array.from(rewards, (reward, row) => {
    if (Number.isNaN(reward)) return 0;
    const greedy = greedyRewards[row]!;
    if (!Number.isFinite(greedy))
      throw new LaconicError("reward_invalid", `remax: greedy reward ${row} is ${greedy}, expected a finite number`, {
        row,
      });
    return reward - greedy;
  });
  return { advantages, diagnostics: groupDiagnostics(rewards, split, advantages) };
}

/** MAREMAX (CoMLRL `max`): r minus the group's best; never positive. */
export function maremax(rewards: Column, groups: Column): AdvantageResult {
  return perGroup(rewards, groups, undefined, (group) => {
    const best = Math.max(...group.rewards);
    return group.rewards.map((reward) => reward - best);
  });
}

/** MaxRL (SkyRL): (r - mean) / (mean + ε); 0 for groups without a positive mean. */
export function maxRl(rewards: Column, groups: Column, epsilon = 1e-6, weights?: Column): AdvantageResult {
  return perGroup(rewards, groups, weights, (group) =>
    group.rewards.map((reward) => (group.mean > 0 ? (reward - group.mean) / (group.mean + epsilon) : 0)),
  );
}

/** OPO (Hao et al. 2025): r minus the length-weighted mean, sum |y| r / sum |y|. */
export function opo(rewards: Column, groups: Column, lengths: Column): AdvantageResult {
  if (lengths.length !== rewards.length)
    throw inputError(`opo: ${lengths.length} lengths for ${rewards.length} rewards`);
  const bad = Array.from(lengths).findIndex((length) => !(length >= 0 && Number.isFinite(length)));
  if (bad >= 0) throw inputError(`opo: length ${bad} is ${lengths[bad]}, expected 0 or more`);
  return perGroup(rewards, groups, undefined, (group) => {
    let weighted = 0;
    let total = 0;
    group.rows.forEach((row, i) => {
      weighted += lengths[row]! * group.rewards[i]!;
      total += lengths[row]!;
    });
    const baseline = total > 0 ? weighted / total : group.mean;
    return group.rewards.map((reward) => reward - baseline);
  });
}

/** pass@k training (verl): best - second for the group's best, optionally / (σ + 1e-6); 0 for the others. */
export function passAtK(rewards: Column, groups: Column, options: { readonly scaled?: boolean } = {}): AdvantageResult {
  return perGroup(rewards, groups, undefined, (group) => {
    const sorted = group.rewards.toSorted((a, b) => b - a);
    const by = options.scaled ? deviation(group.rewards, "sample") + 1e-6 : 1;
    const best = group.rewards.indexOf(sorted[0]!);
    return group.rewards.map((_, i) => (i === best ? (sorted[0]! - sorted[1]!) / by : 0));
  });
}

/**
 * BNPO (Xiao et al. 2025): (r - p) / Beta density(p; a, b) for 0/1 rewards; (1, 1) subtracts the mean only.
 * @throws LaconicError `reward_invalid` for a group mean outside (0, 1)
 */
export function bnpo(
  rewards: Column,
  groups: Column,
  { a, b }: { readonly a: number; readonly b: number },
  weights?: Column,
): AdvantageResult {
  checkOption(a > 0, "bnpo: a", a, "above 0");
  checkOption(b > 0, "bnpo: b", b, "above 0");
  const logBeta = logGamma(a) + logGamma(b) - logGamma(a + b);
  return perGroup(rewards, groups, weights, (group) => {
    const p = group.mean;
    if (!(p > 0 && p < 1))
      throw new LaconicError(
        "reward_invalid",
        `bnpo: the group of reward ${group.rows[0]} has mean ${p}; it must be a success rate, so rewards go from 0 to 1`,
        { row: group.rows[0]! },
      );
    const density = exponential((a - 1) * logarithm(p) + (b - 1) * logarithm(1 - p) - logBeta);
    return group.rewards.map((reward) => (reward - p) / density);
  });
}

/** Exponential mean of rewards per agent. */
export type RunningBaselineState = Readonly<Record<string, number>>;

/**
 * Role-conditioned advantage estimation (RAE, prime-rl): A = r - b_agent, then b moves towards r. Baselines start at 0;
 * a NaN reward gets 0 and does not change b.
 * @param decay - weight of the past, 0.95
 * @param weights - weight of each reward, [S]; default 1
 * @throws LaconicError `reward_invalid` beyond ±`maxReward`, `input_invalid`, `config_invalid`
 */
export function runningBaseline(
  state: RunningBaselineState,
  rewards: Column,
  agents: readonly string[],
  decay = 0.95,
  weights?: Column,
): { readonly advantages: Float64Array; readonly state: RunningBaselineState } {
  checkOption(decay >= 0 && decay < 1, "running baseline: decay", decay, "in [0, 1)");
  if (agents.length !== rewards.length) throw inputError(`${agents.length} agents for ${rewards.length} rewards`);
  checkRewards(rewards);
  // An agent may have the name of an inherited property.
  const next = new Map(Object.entries(state));
  for (const [agent, baseline] of next)
    if (!(Math.abs(baseline) <= maxReward))
      throw inputError(`running baseline: the state of agent "${agent}" is ${baseline}`, { agent });
  const advantages = Float64Array.from(rewards, (reward, s) => {
    if (Number.isNaN(reward)) return 0;
    const agent = agents[s]!;
    const baseline = next.get(agent) ?? 0;
    const past = weights?.[s] === undefined || weights[s] === 1 ? decay : decay ** weights[s];
    next.set(agent, past * baseline + (1 - past) * reward);
    return reward - baseline;
  });
  return { advantages, state: Object.fromEntries(next) };
}

/** Variants of REINFORCE++. */
export interface ReinforcePlusPlusOptions {
  /** Subtracts the group mean first. */
  readonly baseline?: boolean;
  /** γ of the token returns. Default 1. */
  readonly discount?: number;
}

/**
 * REINFORCE++ (Hu 2025): discounted token returns, whitened over all tokens of the batch with the sample variance and
 * 1e-8 under the root (verl, SkyRL). Tokens of NaN rewards get 0; equal returns give exactly 0.
 * @param offsets - token layout, [S + 1]
 * @param weights - weight of each reward in its group mean, [S]; default 1
 * @throws LaconicError `reward_invalid` beyond ±`maxReward`, `input_invalid`, `config_invalid`
 */
export function reinforcePlusPlus(
  rewards: Column,
  groups: Column,
  offsets: Int32Array,
  options: ReinforcePlusPlusOptions = {},
  weights?: Column,
): Float64Array {
  const { baseline = false, discount = 1 } = options;
  checkOption(discount > 0 && discount <= 1, "reinforce++: discount", discount, "in (0, 1]");
  if (offsets.length - 1 !== rewards.length)
    throw inputError(`reinforce++: ${rewards.length} rewards for ${offsets.length - 1} sequences of tokens`);
  checkRewards(rewards);
  const scores = baseline
    ? groupAdvantages(rewards, groups, { scale: "none" }, weights).advantages
    : Float64Array.from(rewards);
  const tokens = offsets[offsets.length - 1]!;
  const returns = new Float64Array(tokens).fill(NaN);
  for (let s = 0; s < rewards.length; s++) {
    if (Number.isNaN(rewards[s])) continue;
    let value = scores[s]!;
    for (let t = offsets[s + 1]! - 1; t >= offsets[s]!; t--) {
      returns[t] = value;
      value *= discount;
    }
  }
  const applicable = [...returns].filter((value) => !Number.isNaN(value));
  if (allEqual(applicable)) return new Float64Array(tokens);
  const centre = mean(applicable);
  const root = Math.sqrt(deviation(applicable, "sample") ** 2 + 1e-8);
  return returns.map((value) => (Number.isNaN(value) ? 0 : (value - centre) / root));
}
