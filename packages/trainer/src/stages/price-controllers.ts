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

/** Of a controller by name all that it says; of one of the user's own the price. */
export type PriceDiagnostics = Pick<BudgetDiagnostics, "lambda"> & Partial<BudgetDiagnostics>;

/** Sets a price after each step. */
export interface PricedController {
  init(): PriceState;
  step(
    state: PriceState,
    measurement: BudgetMeasurement,
  ): { readonly state: PriceState; readonly diagnostics: PriceDiagnostics };
}

/** Eq. 5, by its settings. */
export function namedController(options: BudgetOptions): PricedController {
  const controller = dualController(options);
  return {
    init: () => controller.init(),
    step: (state, measurement) => controller.step(state as BudgetState, measurement),
  };
}

/** The user's own, whose prices are checked. @param of - what it prices, for messages */
export function ownController(given: PriceController | PriceRule, of: string): PricedController {
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
