import { LaconicError } from "@laconic/core";
import { exponential, logarithm } from "@laconic/core/numeric";
import { checkOption } from "../check-option.ts";
import {
  checkRewards,
  deviation,
  groupDiagnostics,
  perGroup,
  rewardGroups,
  type AdvantageResult,
  type RewardGroup,
} from "./groups.ts";

/** RLOO (Ahmadian et al. 2024): r minus the mean of the others, (r - mean) G / (G - 1). */
export function rloo(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  weights?: ArrayLike<number>,
): AdvantageResult {
  const rule = ({ rewards: own, size: G, mean }: RewardGroup): number[] =>
    own.map((reward) => ((reward - mean) * G) / (G - 1));
  return perGroup(rewards, groups, rule, weights);
}

/** REINFORCE: the reward itself; no baseline, so groups only count. */
export function rawRewards(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  weights?: ArrayLike<number>,
): AdvantageResult {
  const split = rewardGroups(rewards, groups, weights);
  const advantages = Float64Array.from(rewards, (reward) => (Number.isNaN(reward) ? 0 : reward));
  return { advantages, diagnostics: groupDiagnostics(rewards, split, advantages) };
}

/**
 * GPG, by verl's formula: (N / rewards that are not 0) (r - mean), which makes up for samples that teach nothing.
 * Its loss is `reinforce` with a token mean.
 */
export function gpg(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  weights?: ArrayLike<number>,
): AdvantageResult {
  const count = (counts: (reward: number) => boolean): number =>
    Array.from(rewards).reduce((sum, reward, row) => sum + (counts(reward) ? (weights?.[row] ?? 1) : 0), 0);
  const scale =
    count((reward) => !Number.isNaN(reward)) /
    Math.max(
      1,
      count((reward) => Math.abs(reward) > 0),
    );
  const rule = (group: RewardGroup): number[] => group.rewards.map((reward) => scale * (reward - group.mean));
  return perGroup(rewards, groups, rule, weights);
}

/**
 * ReMax (Li et al. 2024): r minus the reward of the greedy reply, one baseline per sequence.
 * @throws LaconicError `reward_invalid` for a greedy reward that is not finite where the reward applies, or beyond ±`maxReward`.
 */
export function remax(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  greedyRewards: ArrayLike<number>,
): AdvantageResult {
  if (greedyRewards.length !== rewards.length)
    throw new LaconicError(
      "input_invalid",
      `remax: ${greedyRewards.length} greedy rewards for ${rewards.length} rewards`,
    );
  const split = rewardGroups(rewards, groups);
  checkRewards(greedyRewards, "remax: greedy reward");
  const advantages = Float64Array.from(rewards, (reward, row) => {
    if (Number.isNaN(reward)) return 0;
    const greedy = greedyRewards[row] as number;
    if (!Number.isFinite(greedy))
      throw new LaconicError("reward_invalid", `remax: greedy reward ${row} is ${greedy}, expected a finite number`, {
        row,
      });
    return reward - greedy;
  });
  return { advantages, diagnostics: groupDiagnostics(rewards, split, advantages) };
}

/** MAREMAX (CoMLRL `max`): r minus the best of the group; never positive. */
export function maremax(rewards: ArrayLike<number>, groups: ArrayLike<number>): AdvantageResult {
  return perGroup(rewards, groups, (group) => {
    const best = Math.max(...group.rewards);
    return group.rewards.map((reward) => reward - best);
  });
}

/** MaxRL (SkyRL): (r - mean) / (mean + ε); needs a positive mean, a group without one gets 0. */
export function maxRl(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  epsilon = 1e-6,
  weights?: ArrayLike<number>,
): AdvantageResult {
  const rule = ({ rewards: own, mean }: RewardGroup): number[] =>
    own.map((reward) => (mean > 0 ? (reward - mean) / (mean + epsilon) : 0));
  return perGroup(rewards, groups, rule, weights);
}

/** OPO (Hao et al. 2025): r minus the length-weighted mean, sum |y| r / sum |y|. */
export function opo(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  lengths: ArrayLike<number>,
): AdvantageResult {
  if (lengths.length !== rewards.length)
    throw new LaconicError("input_invalid", `opo: ${lengths.length} lengths for ${rewards.length} rewards`);
  const bad = Array.from(lengths).findIndex((length) => !(length >= 0 && Number.isFinite(length)));
  if (bad >= 0) throw new LaconicError("input_invalid", `opo: length ${bad} is ${lengths[bad]}, expected 0 or more`);
  return perGroup(rewards, groups, (group) => {
    let weighted = 0;
    let total = 0;
    group.rows.forEach((row, i) => {
      weighted += (lengths[row] as number) * (group.rewards[i] as number);
      total += lengths[row] as number;
    });
    const baseline = total > 0 ? weighted / total : group.mean;
    return group.rewards.map((reward) => reward - baseline);
  });
}

/** pass@k training (verl): the best of the group gets best - second, optionally over (σ + 1e-6); the others 0. */
export function passAtK(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  options: { readonly scaled?: boolean } = {},
): AdvantageResult {
  return perGroup(rewards, groups, (group) => {
    const sorted = group.rewards.toSorted((a, b) => b - a);
    const by = options.scaled ? deviation(group.rewards, "sample") + 1e-6 : 1;
    const best = group.rewards.indexOf(sorted[0] as number);
    return group.rewards.map((_, i) => (i === best ? ((sorted[0] as number) - (sorted[1] as number)) / by : 0));
  });
}

/**
 * BNPO (Xiao et al. 2025): (r - p) / Beta density(p; a, b) for 0/1 rewards; (1, 1) is mean only.
 * @throws LaconicError `reward_invalid` for a group whose mean is no success rate.
 */
export function bnpo(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  { a, b }: { readonly a: number; readonly b: number },
  weights?: ArrayLike<number>,
): AdvantageResult {
  checkOption(a > 0, "bnpo: a", a, "above 0");
  checkOption(b > 0, "bnpo: b", b, "above 0");
  const logBeta = logGamma(a) + logGamma(b) - logGamma(a + b);
  const rule = (group: RewardGroup): number[] => {
    const p = group.mean;
    if (!(p > 0 && p < 1))
      throw new LaconicError(
        "reward_invalid",
        `bnpo: the group of reward ${group.rows[0]} has mean ${p}; it must be a success rate, so rewards go from 0 to 1`,
        { row: group.rows[0] as number },
      );
    const density = exponential((a - 1) * logarithm(p) + (b - 1) * logarithm(1 - p) - logBeta);
    return group.rewards.map((reward) => (reward - p) / density);
  };
  return perGroup(rewards, groups, rule, weights);
}

/** Lanczos approximation, relative error below 1e-13 for x > 0. */
function logGamma(x: number): number {
  const coefficients = [
    676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  if (x < 0.5) return logGamma(x + 1) - logarithm(x);
  const t = x + 6.5;
  const series = coefficients.reduce((sum, c, i) => sum + c / (x + i), 0.99999999999980993);
  return 0.5 * logarithm(2 * Math.PI) + (x - 0.5) * logarithm(t) - t + logarithm(series);
}
