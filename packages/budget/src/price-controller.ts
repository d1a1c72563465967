import type { BudgetMeasurement } from "./measurement.ts";

/** State of a custom price controller: plain data with the price of the next step. */
export interface PriceState {
  /** λ: price per unit of the cost, a finite number from 0 up. */
  readonly price: number;
}

/** Sets the price of a cost by a custom rule. Pure: its memory is its state, which a checkpoint stores. */
export interface PriceController<State extends PriceState = PriceState> {
  /** `price` is that of the first step. */
  init(): State;
  step(state: State, measurement: BudgetMeasurement): State;
}

/** The same without a memory, from price 0: the next price by the one that was charged. */
export type PriceRule = (price: number, measurement: BudgetMeasurement) => number;

/** A rule as a controller; a controller comes back as it is. */
export function asPriceController(given: PriceController | PriceRule): PriceController {
  if (typeof given !== "function") return given;
  return { init: () => ({ price: 0 }), step: ({ price }, measurement) => ({ price: given(price, measurement) }) };
}
