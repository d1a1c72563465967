import type { PriceState } from "@laconic/budget";
import type { Prices } from "@laconic/rewards";
import { measurementOf, type ScoredRollout } from "./score.ts";
import type { PriceDiagnostics, PricedController } from "../spec/price-controllers.ts";

type BudgetStates = Readonly<Record<string, PriceState>>;

/** Eq. 5 for each budget: one price per cost, updated after every step. */
export class TeamBudgets {
  readonly #controllers: readonly (readonly [cost: string, controller: PricedController])[];
  readonly #fixed: Prices;

  /** @param prices - for costs without a budget */
  constructor(controllers: Readonly<Record<string, PricedController>>, prices: Prices) {
    [this.#controllers, this.#fixed] = [Object.entries(controllers), { tokens: 0, ...prices }];
  }

  init(): BudgetStates {
    return Object.fromEntries(this.#controllers.map(([cost, controller]) => [cost, controller.init()]));
  }

  /** λ of every cost. Budgets added on resume start with their initial price. */
  prices(states: BudgetStates): Prices {
    const moved = this.#controllers.map(([cost, controller]) => [cost, (states[cost] ?? controller.init()).price]);
    return { ...this.#fixed, ...(Object.fromEntries(moved) as Prices) };
  }

  step(
    states: BudgetStates,
    scored: readonly ScoredRollout[],
  ): { readonly states: BudgetStates; readonly diagnostics: Readonly<Record<string, PriceDiagnostics>> } {
    const steps = this.#controllers.map(
      ([cost, controller]) =>
        [cost, controller.step(states[cost] ?? controller.init(), measurementOf(scored, cost))] as const,
    );
    return {
      states: Object.fromEntries(steps.map(([cost, { state }]) => [cost, state])),
      diagnostics: Object.fromEntries(steps.map(([cost, { diagnostics }]) => [cost, diagnostics])),
    };
  }
}
