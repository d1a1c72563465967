import type { PriceState } from "@laconic/budget";
import type { Prices } from "@laconic/rewards";
import { measurementOf, type ScoredRollout } from "./score.ts";
import type { PriceDiagnostics, PricedController } from "../spec/price-controllers.ts";

export type BudgetStates = Readonly<Record<string, PriceState>>;

/** Eq. 5 for each of the team's budgets: a price for each cost, moved after every step. */
export interface TeamBudgets {
  init(): BudgetStates;
  /** λ of every cost: that of its budget, or the fixed one. */
  prices(states: BudgetStates): Prices;
  step(
    states: BudgetStates,
    scored: readonly ScoredRollout[],
  ): { readonly states: BudgetStates; readonly diagnostics: Readonly<Record<string, PriceDiagnostics>> };
}

export function teamBudgets(controllers: Readonly<Record<string, PricedController>>, prices: Prices): TeamBudgets {
  const fixed = { tokens: 0, ...prices };
  const all = Object.entries(controllers);
  // A budget that was set while the run went on begins as at the first step; one that was taken away is forgotten.
  const known = (states: BudgetStates, cost: string, controller: PricedController): PriceState =>
    states[cost] ?? controller.init();
  return {
    init: () => Object.fromEntries(all.map(([cost, each]) => [cost, each.init()])),
    prices: (states) => ({
      ...fixed,
      ...Object.fromEntries(all.map(([cost, each]) => [cost, known(states, cost, each).price])),
    }),
    step(states, scored) {
      const steps = all.map(
        ([cost, each]) => [cost, each.step(known(states, cost, each), measurementOf(scored, cost))] as const,
      );
      return {
        states: Object.fromEntries(steps.map(([cost, { state }]) => [cost, state])),
        diagnostics: Object.fromEntries(steps.map(([cost, { diagnostics }]) => [cost, diagnostics])),
      };
    },
  };
}
