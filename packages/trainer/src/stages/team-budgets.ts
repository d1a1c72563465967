import { budgetSet, type BudgetDiagnostics, type BudgetState } from "@laconic/budget";
import type { Prices } from "@laconic/rewards";
import type { TrainConfig } from "../config.ts";
import { measurementOf } from "./measurement.ts";
import type { ScoredRollout } from "./score.ts";

/** State by cost. */
export type BudgetStates = Readonly<Record<string, BudgetState>>;

/** Eq. 5 for each of the team's budgets: a price for each cost, moved after every step. */
export interface TeamBudgets {
  init(): BudgetStates;
  /** λ of every cost: that of its budget, or the fixed one. */
  prices(states: BudgetStates): Prices;
  step(
    states: BudgetStates,
    scored: readonly ScoredRollout[],
  ): { readonly states: BudgetStates; readonly diagnostics: Readonly<Record<string, BudgetDiagnostics>> };
}

export function teamBudgets({
  budget,
  budgets,
  prices,
}: Pick<TrainConfig, "budget" | "budgets" | "prices">): TeamBudgets {
  const options = { ...(budget && { tokens: budget }), ...budgets };
  const fixed = { tokens: 0, ...prices };
  if (Object.keys(options).length === 0)
    return { init: () => ({}), prices: () => fixed, step: () => ({ states: {}, diagnostics: {} }) };
  const set = budgetSet(options);
  const each = <T>(make: (cost: string) => T): Record<string, T> =>
    Object.fromEntries(Object.keys(options).map((cost) => [cost, make(cost)]));
  // A budget that was set while the run went on begins as at the first step; one that was taken away is forgotten.
  const known = (states: BudgetStates): Record<string, BudgetState> => {
    const first = set.init();
    return each((cost) => states[cost] ?? (first[cost] as BudgetState));
  };
  return {
    init: () => set.init(),
    prices: (states) => ({ ...fixed, ...each((cost) => known(states)[cost]?.price ?? 0) }),
    step(states, scored) {
      const moved = set.step(
        known(states),
        each((cost) => measurementOf(scored, cost)),
      );
      return { states: moved.state, diagnostics: moved.diagnostics };
    },
  };
}
