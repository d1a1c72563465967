import { countTokens } from "@laconic/core";
import type { Cost, CostScope } from "./cost.ts";

/** tokens(y) of Eq. 1: sampled tokens, end tokens included, so silence costs its end token. */
export function tokensWritten(scope: Pick<CostScope, "by"> = {}): Cost {
  const { by } = scope;
  return {
    unit: "tokens written, end tokens included",
    scope,
    measure: ({ ledger }) => countTokens(ledger, { kind: "tokens-written", ...(by !== undefined && { by }) }),
  };
}

/** Tokens of messages read, without their end tokens; every reader counts, and reading again counts again. */
export function tokensRead(scope: CostScope = {}): Cost {
  const { by, from } = scope;
  return {
    unit: "tokens read, once per reader and reading",
    scope,
    measure: ({ ledger }) =>
      countTokens(ledger, {
        kind: "tokens-read",
        ...(by !== undefined && { by }),
        ...(from !== undefined && { from }),
      }),
  };
}
