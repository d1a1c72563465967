import type { Baseline } from "@laconic/baselines";
import { tokenCost, type Ledger, type TokenPrice } from "@laconic/core";

/** US dollars of the calls to the caller's model: agents that bring a model of their own cost it nothing. Null without a price. */
export function callerCost({ calls }: Ledger, { models = {} }: Baseline, price: TokenPrice | null): number | null {
  if (!price) return null;
  return calls
    .filter(({ agent }) => !Object.hasOwn(models, agent))
    .reduce((sum, { promptTokens, writtenTokens }) => sum + tokenCost(price, promptTokens, writtenTokens), 0);
}
