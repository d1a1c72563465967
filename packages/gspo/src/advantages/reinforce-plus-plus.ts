import { LaconicError } from "@laconic/core";
import { checkOption } from "../check-option.ts";
import { groupAdvantages } from "./group-advantage.ts";
import { allEqual, checkRewards, deviation, mean } from "./groups.ts";

/** Which REINFORCE++: with or without the group's mean, and its discount. */
export interface ReinforcePlusPlusOptions {
  /** Subtract the group mean first (REINFORCE++-baseline). */
  readonly baseline?: boolean;
  /** γ of the token returns; 1 by default. */
  readonly discount?: number;
}

/**
 * REINFORCE++ (Hu 2025): discounted token returns, whitened over all tokens of the batch with the sample variance and
 * 1e-8 under the root (verl, SkyRL). One advantage per token. A NaN reward does not apply: its tokens leave mean and
 * variance, and get 0. Returns that are all equal give exactly 0.
 *
 * @param offsets - layout of the tokens, [S + 1]
 * @param weights - how much each reward counts in the mean of its group, [S]; 1 by default
 * @throws LaconicError `reward_invalid` for a reward beyond ±`maxReward`, `input_invalid` when lengths differ, `config_invalid`.
 */
export function reinforcePlusPlus(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  offsets: Int32Array,
  options: ReinforcePlusPlusOptions = {},
  weights?: ArrayLike<number>,
): Float64Array {
  const { baseline = false, discount = 1 } = options;
  checkOption(discount > 0 && discount <= 1, "reinforce++: discount", discount, "in (0, 1]");
  if (offsets.length - 1 !== rewards.length)
    throw new LaconicError(
      "input_invalid",
      `reinforce++: ${rewards.length} rewards for ${offsets.length - 1} sequences of tokens`,
    );
  checkRewards(rewards);
  const scores = baseline
    ? groupAdvantages(rewards, groups, { scale: "none" }, weights).advantages
    : Float64Array.from(rewards);
  const tokens = offsets[offsets.length - 1] as number;
  const returns = new Float64Array(tokens).fill(NaN); // NaN marks tokens to leave out
  for (let s = 0; s < rewards.length; s++) {
    if (Number.isNaN(rewards[s])) continue;
    let value = scores[s] as number;
    for (let t = (offsets[s + 1] as number) - 1; t >= (offsets[s] as number); t--) {
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
