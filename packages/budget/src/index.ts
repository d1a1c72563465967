/**
 * Dual budget controllers (Agent-GSPO Eq. 5): the price of a token, steered until a team keeps its budget.
 * @module @laconic/budget
 */
export { dualAscent } from "./dual-ascent.ts";
export { dualController } from "./dual-controller.ts";
export type { BudgetController, BudgetDiagnostics } from "./dual-controller.ts";
export { budgetOptionsShape } from "./options.ts";
export type { BudgetOptions, GuardOptions } from "./options.ts";
export type { BudgetSettings } from "./settings.ts";
export { budgetStateShape } from "./state.ts";
export type { BudgetState } from "./state.ts";
export type { BudgetMeasurement } from "./measurement.ts";

export { asPriceController } from "./price-controller.ts";
export type { PriceController, PriceRule, PriceState } from "./price-controller.ts";

export { hardCap, truncatedShare } from "./hard-cap.ts";
export type { HardCapOptions } from "./hard-cap.ts";
