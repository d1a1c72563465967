import { checkOption } from "./check-option.ts";
import type { Cost, CostScope } from "./cost.ts";

/** From which length on an utterance costs. */
export interface OverlongOptions extends Pick<CostScope, "by"> {
  /** L: from here on an utterance costs 1. */
  readonly maxTokens: number;
  /** c: the cost rises from 0 over the last c tokens before L. */
  readonly margin: number;
}

/**
 * DAPO's soft overlong punishment as a cost: per utterance 0 up to L - c tokens, (tokens - (L - c)) / c up to L,
 * 1 above; summed over the utterances in scope. Price 1 is DAPO (L = 20480, c = 4096).
 *
 * @throws LaconicError `config_invalid`.
 */
export function overlong({ maxTokens, margin, by }: OverlongOptions): Cost {
  checkOption("overlong.maxTokens", maxTokens, Number.isInteger(maxTokens) && maxTokens >= 1, "a whole number from 1");
  const fits = Number.isInteger(margin) && margin >= 1 && margin <= maxTokens;
  checkOption("overlong.margin", margin, fits, `a whole number from 1 to maxTokens, ${maxTokens}`);
  const free = maxTokens - margin;
  return {
    unit: `utterances beyond ${maxTokens} tokens, in part from ${free} on`,
    scope: by === undefined ? {} : { by },
    measure: ({ ledger }) =>
      ledger.calls
        .filter((call) => by === undefined || call.agent === by)
        .reduce((sum, call) => sum + Math.min(1, Math.max(0, (call.writtenTokens - free) / margin)), 0),
  };
}
