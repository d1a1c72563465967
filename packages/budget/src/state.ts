import { group, shapes, type GroupShape } from "@laconic/core";

/** State of a controller. */
export interface BudgetState {
  readonly iteration: number;
  /** λ_tok of the next iteration. */
  readonly price: number;
  /** Integral of Eq. 5, in `settings.unit`. */
  readonly integral: number;
  /** Null before the first measurement. */
  readonly smoothedTokens: number | null;
  /** Null before or without warm-up. */
  readonly warmup: { readonly tokens: number; readonly reward: number | null } | null;
}

type WarmUp = NonNullable<BudgetState["warmup"]>;

/** Shape of a stored state. */
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
