import { LaconicError } from "@laconic/core";
import { groupAdvantages } from "./group-advantage.ts";

export interface ReinforcePlusPlusOptions {
  /** Subtract the group mean first (REINFORCE++-baseline). */
  readonly baseline?: boolean;
  /** γ of the token returns; 1 by default. */
  readonly discount?: number;
}

/**
 * REINFORCE++ (Hu 2025): discounted token returns, whitened over all tokens of the batch with the sample variance and
 * 1e-8 under the root. One advantage per token.
 *
 * @param offsets - layout of the tokens, [S + 1]
 */
export function reinforcePlusPlus(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  offsets: Int32Array,
  options: ReinforcePlusPlusOptions = {},
): Float64Array {
  const { baseline = false, discount = 1 } = options;
  if (!(discount > 0 && discount <= 1))
    throw new LaconicError("config_invalid", `reinforce++: discount is ${discount}, expected in (0, 1]`);
  const scores = baseline ? groupAdvantages(rewards, groups, { scale: "none" }).advantages : Float64Array.from(rewards);
  const tokens = offsets[offsets.length - 1] as number;
  const returns = new Float64Array(tokens);
  for (let s = 0; s + 1 < offsets.length; s++) {
    let value = scores[s] as number;
    if (!Number.isFinite(value)) value = 0;
    for (let t = (offsets[s + 1] as number) - 1; t >= (offsets[s] as number); t--) {
      returns[t] = value;
      value *= discount;
    }
  }
  if (tokens < 2) return new Float64Array(tokens);
  const mean = returns.reduce((sum, value) => sum + value, 0) / tokens;
  const variance = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (tokens - 1);
  return returns.map((value) => (value - mean) / Math.sqrt(variance + 1e-8));
}
