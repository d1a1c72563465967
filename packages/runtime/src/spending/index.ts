/**
 * Models behind a server, their prices and spending.
 * @module @laconic/runtime/spending
 */
export {
  actorSpending,
  checkPriced,
  defaultBaseUrl,
  knownPrice,
  namedModel,
  parsePrice,
  readSpent,
  spentIn,
  type ActorCap,
  type Spending,
} from "./spending.ts";
