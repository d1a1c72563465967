import type { BudgetMeasurement } from "./measurement.ts";

/** State of a custom price controller, as plain data. */
export interface PriceState {
  /** λ: price per cost unit in the next step, finite and >= 0. */
  readonly price: number;
}

/** Custom price rule. Pure: checkpoints store its state. */
export interface PriceController<State extends PriceState = PriceState> {
  /** State with the first step's price. */
  init(): State;
  step(state: State, measurement: BudgetMeasurement): State;
}

/** Stateless rule: maps the charged price to the next, starting at 0. */
export type PriceRule = (price: number, measurement: BudgetMeasurement) => number;

/** Wraps a rule as a controller; returns controllers unchanged. */
export function asPriceController(given: PriceController | PriceRule): PriceController {
  if (typeof given !== "function") return given;
  return { init: () => ({ price: 0 }), step: ({ price }, measurement) => ({ price: given(price, measurement) }) };
}
