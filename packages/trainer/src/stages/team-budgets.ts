import { dualController, type BudgetController, type BudgetDiagnostics, type BudgetState } from "@laconic/budget";
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
  const controllers: Readonly<Record<string, BudgetController>> = Object.fromEntries(
    Object.entries({ ...(budget && { tokens: budget }), ...budgets }).map(([cost, options]) => [
      cost,
      dualController(options),
    ]),
  );
  const each = <T>(make: (controller: BudgetController, cost: string) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(controllers).map(([cost, controller]) => [cost, make(controller, cost)]));
  return {
    init: () => each((controller) => controller.init()),
    prices: (states) => ({ tokens: 0, ...prices, ...each((_, cost) => states[cost]?.price ?? 0) }),
    step(states, scored) {
      const moved = each((controller, cost) =>
        controller.step(states[cost] ?? controller.init(), measurementOf(scored, cost)),
      );
      return {
        states: Object.fromEntries(Object.entries(moved).map(([cost, { state }]) => [cost, state])),
        diagnostics: Object.fromEntries(Object.entries(moved).map(([cost, { diagnostics }]) => [cost, diagnostics])),
      };
    },
  };
}
