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
export function asPriceController(input: PriceController | PriceRule): PriceController {
  if (typeof input !== "function") return input;
  return { init: () => ({ price: 0 }), step: ({ price }, measurement) => ({ price: input(price, measurement) }) };
}
