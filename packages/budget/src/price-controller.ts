import type { BudgetMeasurement } from "./measurement.ts";

/** State of a custom controller. */
export interface PriceState {
  /** λ of the next step, finite and >= 0. */
  readonly price: number;
}

/** Custom price rule. Pure. */
export interface PriceController<State extends PriceState = PriceState> {
  init(): State;
  step(state: State, measurement: BudgetMeasurement): State;
}

/** Maps the charged price to the next, from 0. */
export type PriceRule = (price: number, measurement: BudgetMeasurement) => number;

/** Wraps a rule as a controller. */
export function asPriceController(given: PriceController | PriceRule): PriceController {
  if (typeof given !== "function") return given;
  return { init: () => ({ price: 0 }), step: ({ price }, measurement) => ({ price: given(price, measurement) }) };
}
