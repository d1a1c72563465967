import { group, type GroupShape } from "@laconic/core";

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
  iteration: { shape: "count" },
  price: { shape: "atLeast0" },
  integral: { shape: "atLeast0" },
  smoothedTokens: { shape: "atLeast0", nullable: true },
  warmup: {
    shape: group<WarmUp>({ tokens: { shape: "atLeast0" }, reward: { shape: "number", nullable: true } }),
    nullable: true,
  },
});
