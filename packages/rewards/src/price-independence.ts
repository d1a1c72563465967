import { inputError, type RewardTerms } from "@laconic/core";
import { allEqual, groupRows } from "./groups.ts";

export interface PriceIndependence {
  /** Groups with different rewards. */
  readonly groups: number;
  /** Groups that differ only in the priced term. */
  readonly independent: number;
  /** independent / groups; 0 without groups. */
  readonly share: number;
  /** Share above one half. */
  readonly dominates: boolean;
}

/**
 * Detects ineffective prices of σ-normalised costs: if a group's rewards differ only in one priced term, Eq. 2 gives A
 * = -z(units) at any price.
 * @param terms - terms of each episode, with `tokens`; NaN excludes it
 * @param groups - group id of each episode
 * @throws LaconicError `input_invalid`
 */
export function priceIndependence(terms: readonly RewardTerms[], groups: ArrayLike<number>): PriceIndependence {
  const split = terms.map(({ tokens: own, ...others }, row) => {
    if (own === undefined) throw inputError(`episode ${row} has no term "tokens"`, { row, term: "tokens" });
    return { own, rest: Object.values(others).reduce((sum, value) => sum + value, 0) };
  });
  let withSpread = 0;
  let independent = 0;
  for (const rows of groupRows(groups, terms.length)) {
    const group = rows.map((row) => split[row]!).filter(({ own, rest }) => !isNaN(own + rest));
    const ownSpread = !allEqual(group.map(({ own }) => own));
    const restSpread = !allEqual(group.map(({ rest }) => rest));
    if (ownSpread || restSpread) withSpread += 1;
    if (ownSpread && !restSpread) independent += 1;
  }
  const share = withSpread === 0 ? 0 : independent / withSpread;
  return { groups: withSpread, independent, share, dominates: share > 0.5 };
}
