import { z } from "zod";

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

export const budgetStateSchema: z.ZodType<BudgetState> = z.strictObject({
  iteration: z.int().min(0),
  price: z.number().min(0),
  integral: z.number().min(0),
  smoothedTokens: z.number().min(0).nullable(),
  warmup: z.strictObject({ tokens: z.number().min(0), reward: z.number().nullable() }).nullable(),
});
