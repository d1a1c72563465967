import type { LedgerCall } from "@laconic/core";
import type { Cost, CostScope } from "./cost.ts";

/** tokens(y) of Eq. 1: sampled tokens, end tokens included, so silence costs its end token. */
export function tokensWritten(scope: Pick<CostScope, "by"> = {}): Cost {
  return {
    unit: "tokens written, end tokens included",
    scope,
    measure: ({ ledger }) => sum(ledger.calls.filter(spokenBy(scope)).map((call) => call.writtenTokens)),
  };
}

/** Tokens of messages read, without their end tokens; every reader counts, and reading again counts again. */
export function tokensRead(scope: CostScope = {}): Cost {
  return {
    unit: "tokens read, once per reader and reading",
    scope,
    measure: ({ ledger }) =>
      sum(
        ledger.calls
          .filter(spokenBy(scope))
          .flatMap((call) => call.reads)
          .filter((read) => scope.from === undefined || read.from === scope.from)
          .map((read) => read.tokens),
      ),
  };
}

const spokenBy =
  ({ by }: CostScope) =>
  (call: LedgerCall): boolean =>
    by === undefined || call.agent === by;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
