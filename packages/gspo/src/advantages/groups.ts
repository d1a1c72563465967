import { LaconicError, maxReward, statisticOf, type Diagnostics, type Statistic } from "@laconic/core";

/** Advantages per sequence and what the groups looked like. */
export interface AdvantageResult {
  readonly advantages: Float64Array;
  readonly diagnostics: Diagnostics;
}

/** Rewards of a group closer than this are equal: there is nothing to learn from their rounding. */
const equalWithin = 1e-12;

/** A group with its applicable rewards. */
export interface RewardGroup {
  readonly rows: readonly number[];
  readonly rewards: readonly number[];
  readonly mean: number;
  /** Fewer than two rewards, or all equal. */
  readonly degenerate: boolean;
}

/**
 * Splits rewards by group. NaN means "not applicable": it leaves the baseline, and its advantage stays 0.
 * @throws LaconicError `reward_invalid` for a reward beyond ±`maxReward`, naming the row; `input_invalid` when lengths differ.
 */
export function rewardGroups(rewards: ArrayLike<number>, groups: ArrayLike<number>): RewardGroup[] {
  if (rewards.length !== groups.length)
    throw new LaconicError("input_invalid", `${rewards.length} rewards but ${groups.length} group ids`);
  checkRewards(rewards);
  const byGroup = new Map<number, number[]>();
  for (let row = 0; row < rewards.length; row++) {
    const reward = rewards[row] as number;
    const rows = byGroup.get(groups[row] as number) ?? [];
    if (!Number.isNaN(reward)) rows.push(row);
    byGroup.set(groups[row] as number, rows);
  }
  return [...byGroup.values()].map((rows) => {
    const values = rows.map((row) => rewards[row] as number);
    return { rows, rewards: values, mean: mean(values), degenerate: allEqual(values) };
  });
}

/** @throws LaconicError `reward_invalid` for what is no number, infinity or a reward beyond ±`maxReward`, naming the row. */
export function checkRewards(rewards: ArrayLike<number>, name = "reward"): void {
  // A text from a file would be subtracted, and added as a text.
  const row = Array.from(rewards).findIndex((reward) => typeof reward !== "number" || Math.abs(reward) > maxReward);
  if (row >= 0)
    throw new LaconicError(
      "reward_invalid",
      `${name} ${row} is ${rewards[row]}; it is a number that lies within ±${maxReward}, or is NaN where it does not apply`,
      { row },
    );
}

/** Fewer than two values, or all closer than rounding noise. */
export function allEqual(values: readonly number[]): boolean {
  const { min, max } = statisticOf(values);
  return max - min <= equalWithin;
}

/** 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Standard deviation; the sample form divides by n - 1. */
export function deviation(values: readonly number[], convention: "sample" | "population"): number {
  const centre = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, values.length - (convention === "sample" ? 1 : 0)));
}

/**
 * Advantages by a rule per group; degenerate groups get exactly 0.
 * @throws LaconicError as {@link rewardGroups}, and `numeric_invalid` for an advantage that overflows, naming the row.
 */
export function perGroup(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  rule: (group: RewardGroup) => readonly number[],
): AdvantageResult {
  const split = rewardGroups(rewards, groups);
  const advantages = new Float64Array(rewards.length);
  for (const group of split) {
    if (group.degenerate) continue;
    const values = rule(group);
    group.rows.forEach((row, i) => {
      const value = values[i] as number;
      if (!Number.isFinite(value))
        throw new LaconicError(
          "numeric_invalid",
          `the advantage of reward ${row}, ${rewards[row]}, is ${value}: what it is divided by is too close to 0`,
          { row },
        );
      advantages[row] = value;
    });
  }
  return { advantages, diagnostics: groupDiagnostics(rewards, split, advantages) };
}

export function groupDiagnostics(
  rewards: ArrayLike<number>,
  split: readonly RewardGroup[],
  advantages: Float64Array,
): Diagnostics {
  const flags = (claim: (group: RewardGroup) => boolean): number[] => split.map((group) => (claim(group) ? 1 : 0));
  return {
    advantages: statisticOf(advantages),
    reward_std: statisticOf(split.map((group) => deviation(group.rewards, "sample"))),
    frac_reward_zero_std: statisticOf(flags((group) => group.degenerate)),
    "groups/size_one": statisticOf(flags((group) => group.rewards.length === 1)),
    "rewards/not_applicable": statisticOf(Array.from(rewards, (reward) => (Number.isNaN(reward) ? 1 : 0))),
    ...outcomeDiagnostics(split),
  };
}

/** Groups by outcome, where every reward is 0 or 1. */
function outcomeDiagnostics(split: readonly RewardGroup[]): Diagnostics {
  const groups = split.filter((group) => group.rewards.length > 0);
  if (!groups.every((group) => group.rewards.every((reward) => reward === 0 || reward === 1))) return {};
  const frac = (claim: (mean: number) => boolean): Statistic =>
    statisticOf(groups.map((group) => (claim(group.mean) ? 1 : 0)));
  return {
    "by_group/frac_all_good": frac((p) => p === 1),
    "by_group/frac_all_bad": frac((p) => p === 0),
    "by_group/frac_mixed": frac((p) => p > 0 && p < 1),
  };
}
