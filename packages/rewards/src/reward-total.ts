import { LaconicError, type RewardTerms } from "@laconic/core";

/**
 * The reward: the sum of its terms. NaN when any term does not apply, because a sum with a part missing
 * cannot be compared with sums that have it.
 *
 * @throws LaconicError `reward_invalid` for a term, or a sum, that is neither finite nor NaN.
 */
export function rewardTotal(terms: RewardTerms, problemId = "unknown"): number {
  let total = 0;
  for (const [term, value] of Object.entries(terms) as [string, unknown][]) {
    total += typeof value === "number" ? value : Infinity;
    if (Math.abs(total) === Infinity)
      throw new LaconicError(
        "reward_invalid",
        `problem "${problemId}", term "${term}": got ${String(value)}, which has no finite sum with the terms before it`,
        { problemId, term, found: String(value) },
      );
  }
  return total;
}
