import { dualController, type BudgetController } from "./dual-controller.ts";
import type { BudgetOptions } from "./options.ts";

/**
 * Plain Agent-GSPO Eq. 5: λ ← max(0, λ + η (mean tokens - B)).
 * @throws LaconicError `config_invalid`
 */
export function dualAscent(
  options: Pick<BudgetOptions, "targetTokens" | "learningRate" | "initialPrice">,
): BudgetController {
  return dualController({ ...options, antiWindup: false });
}
