import { ragged, type ObjectiveInput, type Ragged } from "@laconic/core";

/** Rewards of one group of four. */
export const goldenRewards: readonly number[] = [1, 0, 1, 0.5];

const refLogProbs: Ragged = ragged([[-1.05, -0.55, -1.85], [-0.35, -1.1], [-0.75, -0.85, -0.5, -1.05], [-2.1]]);

/** Four ragged sequences with independent float64 losses; mean-only advantages. */
export const goldenInput: ObjectiveInput & { readonly refLogProbs: Ragged } = {
  logProbs: ragged([[-1.0, -0.5, -1.9], [-0.3, -1.2], [-0.7, -0.9, -0.4, -1.1], [-2.0001]]),
  oldLogProbs: ragged([[-1.1, -0.6, -1.8], [-0.3, -1.0], [-0.7, -0.8, -0.45, -1.0], [-2.0]]),
  refLogProbs,
  advantages: Float64Array.of(0.375, -0.625, 0.375, -0.125),
};
