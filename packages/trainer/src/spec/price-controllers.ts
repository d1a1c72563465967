import {
  asPriceController,
  dualController,
  type BudgetDiagnostics,
  type BudgetMeasurement,
  type BudgetOptions,
  type BudgetState,
  type PriceController,
  type PriceRule,
  type PriceState,
} from "@laconic/budget";
import { shownValue } from "@laconic/core";
import { checkedCall, type ValueName } from "@laconic/core/checks";
import type { TrainConfig } from "../settings/config.ts";
import { isNamedBudget, valueIn } from "../settings/named.ts";

/** All that Eq. 5 says; of another controller the price. */
export type PriceDiagnostics = Pick<BudgetDiagnostics, "lambda"> & Partial<BudgetDiagnostics>;

/** Sets a price after each step. */
export interface PricedController {
  init(): PriceState;
  step(
    state: PriceState,
    measurement: BudgetMeasurement,
  ): { readonly state: PriceState; readonly diagnostics: PriceDiagnostics };
}

/** A budget of settings: Eq. 5 by its options, or a value. @param of - what it prices, for messages */
export function controllerOf(choice: NonNullable<TrainConfig["budget"]>, of: string): PricedController {
  return isNamedBudget(choice) ? namedController(choice) : checkedController(valueIn<"budget">(choice), of);
}

function namedController(options: BudgetOptions): PricedController {
  const controller = dualController(options);
  return {
    init: () => controller.init(),
    step: (state, measurement) => controller.step(state as BudgetState, measurement),
  };
}

/** A controller whose prices are checked. */
function checkedController(given: PriceController | PriceRule, of: string): PricedController {
  const controller = asPriceController(given);
  const name: ValueName = { name: `the budget ${of}`, value: "budget" };
  const checked = (call: () => PriceState): PriceState => checkedCall(name, call, lacksOfState);
  return {
    init: () => checked(() => controller.init()),
    step(state, measurement) {
      const next = checked(() => controller.step(state, measurement));
      return { state: next, diagnostics: { lambda: next.price } };
    },
  };
}

function lacksOfState(given: unknown): string | null {
  const price = (given as Partial<PriceState> | null | undefined)?.price;
  return typeof price === "number" && Number.isFinite(price) && price >= 0
    ? null
    : `gave ${typeof given === "object" && given !== null ? `the price ${shownValue(price)}` : shownValue(given)}, expected a finite price from 0 up`;
}
