/**
 * The quickstart with a custom price controller: it doubles a price that is too low, and halves one that is too high.
 *
 *     npm run -s laconic -- train examples/own-budget.ts
 *     npm run -s laconic -- train examples/own-budget.ts train.budget.settings.target=20
 */
import type { PriceController } from "@laconic/budget";
import { relayQuickstart } from "@laconic/tasks/presets";
import { defineRun, type RunDefinition } from "@laconic/cli";

interface Memory {
  readonly price: number;
  /** Consecutive steps on one side of the target. */
  readonly since: number;
}

/** Acts after three steps on one side, so that a single unusual batch changes nothing. */
export function patient({
  target = 14,
  patience = 3,
}: { target?: number; patience?: number } = {}): PriceController<Memory> {
  return {
    init: () => ({ price: 0.002, since: 0 }),
    step({ price, since }, { tokens }) {
      const side = tokens > 1.05 * target ? 1 : tokens < 0.95 * target ? -1 : 0;
      const now = Math.sign(since) === side ? since + side : side;
      if (Math.abs(now) < patience) return { price, since: now };
      return { price: Math.min(0.05, side > 0 ? 2 * price : price / 2), since: 0 };
    },
  };
}

const run: RunDefinition = defineRun({
  ...relayQuickstart,
  train: { ...relayQuickstart.train, budget: { file: "./own-budget.ts#patient", settings: { target: 14 } } },
});
export default run;
