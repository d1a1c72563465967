import { LaconicError, type RewardTerms } from "@laconic/core";
import { allEqual, groupRows } from "./groups.ts";

/** How much of a batch ignores the size of one price. */
export interface PriceIndependence {
  /** Groups whose rewards differ, so that they teach something. */
  readonly groups: number;
  /** Of these, the groups that differ in the priced term alone. */
  readonly independent: number;
  /** independent / groups, or 0 of none. */
  readonly share: number;
  /** More than half: under σ-normalisation the price mostly has no effect. */
  readonly dominates: boolean;
}

/**
 * Detects the trap of σ-normalised costs: if all rewards of a group differ in one priced term alone, for example because every
 * answer is right, Eq. 2 gives A = -z(units) at any price, a full push to brevity. Decoupled or mean-only advantages avoid it.
 * @param terms - of each episode; an episode with a NaN term is left out
 * @param groups - group id of each episode
 * @throws LaconicError `input_invalid` for different lengths, or an episode without the term
 */
export function priceIndependence(
  terms: readonly RewardTerms[],
  groups: ArrayLike<number>,
  priced = "tokens",
): PriceIndependence {
  const split = terms.map((episode, row) => {
    const { [priced]: own, ...others } = episode;
    if (own === undefined)
      throw new LaconicError("input_invalid", `episode ${row} has no term "${priced}"`, { row, term: priced });
    return { own, rest: Object.values(others).reduce((sum, value) => sum + value, 0) };
  });
  let withSpread = 0;
  let independent = 0;
  for (const rows of groupRows(groups, terms.length)) {
    const group = rows.map((row) => split[row] as (typeof split)[number]).filter(({ own, rest }) => !isNaN(own + rest));
    const ownSpread = !allEqual(group.map(({ own }) => own));
    const restSpread = !allEqual(group.map(({ rest }) => rest));
    if (ownSpread || restSpread) withSpread += 1;
    if (ownSpread && !restSpread) independent += 1;
  }
  const share = withSpread === 0 ? 0 : independent / withSpread;
  return { groups: withSpread, independent, share, dominates: share > 0.5 };
}
