/**
 * Models behind a server, their prices and spending.
 * @module @laconic/runtime/spending
 */
export { actorSpending, checkPriced } from "./spending.ts";
export type { ActorCap } from "./spending.ts";
export { defaultBaseUrl } from "./spending.ts";
export { readSpent, spentIn } from "./spending.ts";
export { knownPrice } from "./spending.ts";
export { namedModel } from "./spending.ts";
export { parsePrice } from "./spending.ts";
export type { Spending } from "./spending.ts";
