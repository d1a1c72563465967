/**
 * Models behind a server, their prices, and what was spent on them.
 * @module @laconic/runtime/spending
 */
export { actorSpending, checkPriced } from "./actor-spending.ts";
export type { ActorCap } from "./actor-spending.ts";
export { defaultBaseUrl } from "./spending.ts";
export { readSpent, spentIn } from "./kept-account.ts";
export { knownPrice } from "./spending.ts";
export { namedModel } from "./spending.ts";
export { parsePrice } from "./parse-price.ts";
export type { Spending } from "./spending.ts";
