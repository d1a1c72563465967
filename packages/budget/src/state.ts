import { group, shapes, type GroupShape } from "@laconic/core";

/** All a controller remembers: plain data that a checkpoint holds. */
export interface BudgetState {
  /** Measurements taken. */
  readonly iteration: number;
  /** Price per token of the next iteration: λ_tok. */
  readonly price: number;
  /** The integral of Eq. 5, in the controller's unit. */
  readonly integral: number;
  /** Smoothed cost, or null before the first measurement. */
  readonly smoothedTokens: number | null;
  /** Means over the warm-up so far, or null before it or without one. */
  readonly warmup: { readonly tokens: number; readonly reward: number | null } | null;
}

type WarmUp = NonNullable<BudgetState["warmup"]>;

/** What a stored state has to look like. */
export const budgetStateShape: GroupShape<BudgetState> = group<BudgetState>({
  iteration: { shape: shapes.count },
  price: { shape: shapes.atLeast0 },
  integral: { shape: shapes.atLeast0 },
  smoothedTokens: { shape: shapes.atLeast0, nullable: true },
  warmup: {
    shape: group<WarmUp>({ tokens: { shape: shapes.atLeast0 }, reward: { shape: shapes.number, nullable: true } }),
    nullable: true,
  },
});
