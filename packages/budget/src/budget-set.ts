import { LaconicError } from "@laconic/core";
import { dualController, type BudgetDiagnostics } from "./dual-controller.ts";
import type { BudgetMeasurement } from "./measurement.ts";
import type { BudgetOptions } from "./options.ts";
import type { BudgetSettings } from "./settings.ts";
import type { BudgetState } from "./state.ts";

/** One value per scope, for example per agent or per edge. */
export type ByScope<T> = Readonly<Record<string, T>>;

/** What a step of several budgets gives, by scope: the state to keep and the prices to charge. */
export interface BudgetSetStep {
  readonly state: ByScope<BudgetState>;
  /** Price per token of the next iteration. */
  readonly prices: ByScope<number>;
  readonly diagnostics: ByScope<BudgetDiagnostics>;
}

/** Controllers side by side, each with a budget of its own. */
export interface BudgetSet {
  readonly settings: ByScope<BudgetSettings>;
  init(): ByScope<BudgetState>;
  /** @throws LaconicError `input_invalid` when a scope is missing or unknown, and what {@link dualController} throws. */
  step(state: ByScope<BudgetState>, measurements: ByScope<BudgetMeasurement>): BudgetSetStep;
}

/**
 * One controller per scope: team, agent (`tokens/a`) or edge (`read/a->b`). Scopes named like the costs of a reward
 * make the prices of one step the prices of the next reward.
 *
 * @throws LaconicError `config_invalid` naming the scope and key.
 */
export function budgetSet(budgets: ByScope<BudgetOptions>): BudgetSet {
  const scopes = Object.keys(budgets);
  if (scopes.length === 0)
    throw new LaconicError("config_invalid", "budgets: there is none; add a scope or leave the set out", {
      key: "budgets",
    });
  const controllers = Object.fromEntries(
    Object.entries(budgets).map(([scope, options]) => [scope, inScope(scope, () => dualController(options))]),
  );
  return {
    settings: mapValues(controllers, (controller) => controller.settings),
    init: () => mapValues(controllers, (controller) => controller.init()),
    step(state, measurements) {
      checkScopes("state", scopes, state);
      checkScopes("measurements", scopes, measurements);
      const steps = mapValues(controllers, (controller, scope) =>
        inScope(scope, () => controller.step(state[scope] as BudgetState, measurements[scope] as BudgetMeasurement)),
      );
      return {
        state: mapValues(steps, (step) => step.state),
        prices: mapValues(steps, (step) => step.price),
        diagnostics: mapValues(steps, (step) => step.diagnostics),
      };
    },
  };
}

function mapValues<T, U>(record: ByScope<T>, map: (value: T, scope: string) => U): ByScope<U> {
  return Object.fromEntries(Object.entries(record).map(([scope, value]) => [scope, map(value, scope)]));
}

/** Says in which scope an error arose. */
function inScope<T>(scope: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    throw new LaconicError(error.code, `scope "${scope}": ${error.message}`, { ...error.detail, scope }, error);
  }
}

function checkScopes(what: string, scopes: readonly string[], found: ByScope<unknown>): void {
  const missing = scopes.find((scope) => !Object.hasOwn(found, scope));
  const unknown = Object.keys(found).find((scope) => !scopes.includes(scope));
  const scope = missing ?? unknown;
  if (scope !== undefined)
    throw new LaconicError(
      "input_invalid",
      `budget ${what}: scope "${scope}" is ${missing === undefined ? "unknown" : "missing"}; ` +
        `the scopes are ${scopes.join(", ")}`,
      { what, scope },
    );
}
