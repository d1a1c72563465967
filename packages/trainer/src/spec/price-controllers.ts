import { asPriceController, dualController } from "@laconic/budget";
import type { BudgetDiagnostics, BudgetMeasurement, BudgetState, PriceState } from "@laconic/budget";
import { shownValue } from "@laconic/core";
import { checkedCall, type ValueName } from "@laconic/core/checks";
import type { TrainConfig } from "../settings/config.ts";
import { isNamedBudget, valueIn } from "../settings/named.ts";

/** Values of Eq. 5; other controllers only report the price. */
export type PriceDiagnostics = Pick<BudgetDiagnostics, "lambda"> & Partial<BudgetDiagnostics>;

export interface PricedController {
  init(): PriceState;
  step(
    state: PriceState,
    measurement: BudgetMeasurement,
  ): { readonly state: PriceState; readonly diagnostics: PriceDiagnostics };
}

/** Controller of a budget: Eq. 5, or a checked custom one. @param of - priced quantity */
export function controllerOf(choice: NonNullable<TrainConfig["budget"]>, of: string): PricedController {
  if (isNamedBudget(choice)) {
    const controller = dualController(choice);
    return {
      init: () => controller.init(),
      step: (state, measurement) => controller.step(state as BudgetState, measurement),
    };
  }
  const controller = asPriceController(valueIn<"budget">(choice));
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

function lacksOfState(input: unknown): string | null {
  const price = (input as Partial<PriceState> | null | undefined)?.price;
  return typeof price === "number" && Number.isFinite(price) && price >= 0
    ? null
    : `gave ${typeof input === "object" && input !== null ? `the price ${shownValue(price)}` : shownValue(input)}, expected a finite price from 0 up`;
}
