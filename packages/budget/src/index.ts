/**
 * Dual budget controllers (Agent-GSPO Eq. 5).
 * @module @laconic/budget
 */
export { dualAscent } from "./dual-ascent.ts";
export { dualController, type BudgetController, type BudgetDiagnostics } from "./dual-controller.ts";
export { budgetOptionsShape, type BudgetOptions, type GuardOptions } from "./options.ts";
export type { BudgetSettings } from "./settings.ts";
export { budgetStateShape, type BudgetState } from "./state.ts";
export type { BudgetMeasurement } from "./measurement.ts";
export { asPriceController, type PriceController, type PriceRule, type PriceState } from "./price-controller.ts";
export { hardCap, truncatedShare, type HardCapOptions } from "./hard-cap.ts";
