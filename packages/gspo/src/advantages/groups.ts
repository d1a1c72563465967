import { LaconicError, statisticOf, type Diagnostics } from "@laconic/core";

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
 * @throws LaconicError `reward_invalid` for infinity, naming the row; `input_invalid` when lengths differ.
 */
export function rewardGroups(rewards: ArrayLike<number>, groups: ArrayLike<number>): RewardGroup[] {
  if (rewards.length !== groups.length)
    throw new LaconicError("input_invalid", `${rewards.length} rewards but ${groups.length} group ids`);
  const byGroup = new Map<number, number[]>();
  for (let row = 0; row < rewards.length; row++) {
    const reward = rewards[row] as number;
    if (Math.abs(reward) === Infinity)
      throw new LaconicError(
        "reward_invalid",
        `reward ${row} is ${reward}; a reward is finite, or NaN where it does not apply`,
        { row },
      );
    const rows = byGroup.get(groups[row] as number) ?? [];
    if (!Number.isNaN(reward)) rows.push(row);
    byGroup.set(groups[row] as number, rows);
  }
  return [...byGroup.values()].map((rows) => {
    const values = rows.map((row) => rewards[row] as number);
    const degenerate = values.length < 2 || Math.max(...values) - Math.min(...values) <= equalWithin;
    return { rows, rewards: values, mean: mean(values), degenerate };
  });
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Standard deviation; the sample form divides by n - 1. */
export function deviation(values: readonly number[], convention: "sample" | "population"): number {
  const centre = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, values.length - (convention === "sample" ? 1 : 0)));
}

/** Advantages by a rule per group; degenerate groups get exactly 0. */
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
    group.rows.forEach((row, i) => (advantages[row] = values[i] as number));
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
  };
}
