import { type Diagnostics, inputError, LaconicError, maxReward, type Statistic, statisticOf } from "@laconic/core";

/** One number per sequence, [S]. */
export type Column = ArrayLike<number>;

/** Advantages per sequence, with group diagnostics. */
export interface AdvantageResult {
  readonly advantages: Float64Array;
  readonly diagnostics: Diagnostics;
}

const equalWithin = 1e-12;

export interface RewardGroup {
  readonly rows: readonly number[];
  readonly rewards: readonly number[];
  readonly weights: readonly number[];
  /** Sum of the weights. */
  readonly size: number;
  readonly mean: number;
  /** Fewer than two samples, or all rewards equal. */
  readonly degenerate: boolean;
}

/** Max weight sum of one sample, with rounding. */
const oneSample = 1.5;

/**
 * Splits rewards by group; NaN is excluded.
 * @throws LaconicError `reward_invalid` beyond ±`maxReward`; `input_invalid` for different lengths
 */
export function rewardGroups(rewards: Column, groups: Column, weights?: Column): RewardGroup[] {
  if (rewards.length !== groups.length) throw inputError(`${rewards.length} rewards but ${groups.length} group ids`);
  checkRewards(rewards);
  const byGroup = new Map<number, number[]>();
  for (let row = 0; row < rewards.length; row++) {
    const reward = rewards[row]!;
    const rows = byGroup.get(groups[row]!) ?? [];
    if (!Number.isNaN(reward)) rows.push(row);
    byGroup.set(groups[row]!, rows);
  }
  return [...byGroup.values()].map((rows) => {
    const values = rows.map((row) => rewards[row]!);
    const w = rows.map((row) => weights?.[row] ?? 1);
    const size = total(w);
    const degenerate = size < oneSample || allEqual(values);
    return { rows, rewards: values, weights: w, size, mean: mean(values, w), degenerate };
  });
}

/** @throws LaconicError `reward_invalid` for a reward that is not a number, or beyond ±`maxReward` */
export function checkRewards(rewards: Column, name = "reward"): void {
  // Text from a file would be concatenated in sums.
  const row = Array.from(rewards).findIndex((reward) => typeof reward !== "number" || Math.abs(reward) > maxReward);
  if (row >= 0)
    throw new LaconicError(
      "reward_invalid",
      `${name} ${row} is ${rewards[row]}; expected a number within ±${maxReward}, or NaN where it does not apply`,
      { row },
    );
}

export function allEqual(values: readonly number[]): boolean {
  const { min, max } = statisticOf(values);
  return max - min <= equalWithin;
}

/** 0 without values; `weights` default to 1. */
export function mean(values: readonly number[], weights: readonly number[] = ones(values)): number {
  return values.length === 0 ? 0 : total(values.map((value, i) => weights[i]! * value)) / total(weights);
}

/** The sample form divides by n - 1, with n the weight sum. */
export function deviation(
  values: readonly number[],
  convention: "sample" | "population",
  weights: readonly number[] = ones(values),
): number {
  const centre = mean(values, weights);
  const squares = values.map((value, i) => weights[i]! * (value - centre) ** 2);
  return Math.sqrt(total(squares) / Math.max(1, total(weights) - (convention === "sample" ? 1 : 0)));
}

const ones = (values: readonly number[]) => values.map(() => 1);

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/**
 * Applies a rule per group; degenerate groups get exactly 0.
 * @throws as {@link rewardGroups}, and `numeric_invalid` for an overflow
 */
export function perGroup(
  rewards: Column,
  groups: Column,
  weights: Column | undefined,
  rule: (group: RewardGroup) => readonly number[],
): AdvantageResult {
  const split = rewardGroups(rewards, groups, weights);
  const advantages = new Float64Array(rewards.length);
  for (const group of split) {
    if (group.degenerate) continue;
    const values = rule(group);
    group.rows.forEach((row, i) => {
      const value = values[i]!;
      if (!Number.isFinite(value))
        throw new LaconicError(
          "numeric_invalid",
          `the advantage of reward ${row}, ${rewards[row]}, is ${value}; its divisor is too close to 0`,
          { row },
        );
      advantages[row] = value;
    });
  }
  return { advantages, diagnostics: groupDiagnostics(rewards, split, advantages) };
}

export function groupDiagnostics(
  rewards: Column,
  split: readonly RewardGroup[],
  advantages: Float64Array,
): Diagnostics {
  const flags = (claim: (group: RewardGroup) => boolean) => split.map((group) => (claim(group) ? 1 : 0));
  return {
    advantages: statisticOf(advantages),
    reward_std: statisticOf(split.map((group) => deviation(group.rewards, "sample", group.weights))),
    frac_reward_zero_std: statisticOf(flags((group) => group.degenerate)),
    "groups/size_one": statisticOf(flags((group) => group.rewards.length > 0 && group.size < oneSample)),
    "rewards/not_applicable": statisticOf(Array.from(rewards, (reward) => (Number.isNaN(reward) ? 1 : 0))),
    ...outcomeDiagnostics(split),
  };
}

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
