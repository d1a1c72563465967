import type { BudgetStep } from "../src/dual-controller.ts";
import type { BudgetController, BudgetMeasurement } from "../src/index.ts";

/** A controller's steps, each with the price that was paid before it. A number is a cost in tokens. */
export function stepsOf(
  controller: BudgetController,
  measurements: readonly (number | BudgetMeasurement)[],
): (BudgetStep & { readonly paid: number })[] {
  let state = controller.init();
  return measurements.map((given) => {
    const paid = state.price;
    const step = controller.step(state, typeof given === "number" ? { tokens: given } : given);
    ({ state } = step);
    return { ...step, paid };
  });
}
