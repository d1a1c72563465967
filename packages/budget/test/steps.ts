import type { BudgetStep } from "../src/dual-controller.ts";
import type { BudgetController, BudgetMeasurement } from "../src/index.ts";

/** Steps of a controller with the price before each. Numbers are costs in tokens. */
export function stepsOf(
  controller: BudgetController,
  measurements: readonly (number | BudgetMeasurement)[],
): (BudgetStep & { readonly paid: number })[] {
  let state = controller.init();
  return measurements.map((input) => {
    const paid = state.price;
    const step = controller.step(state, typeof input === "number" ? { tokens: input } : input);
    ({ state } = step);
    return { ...step, paid };
  });
}
