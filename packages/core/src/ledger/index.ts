/**
 * Cost of an episode by edge and turn, parallel time, silence, prices.
 * @module @laconic/core/ledger
 */
export { chargesOf, costBreakdown, meanBreakdown } from "./cost-breakdown.ts";
export type { Charge, CostBreakdown, CostSums, EdgeCost, TurnCost } from "./cost-breakdown.ts";
export { callTokens, tokenCounts } from "./ledger.ts";
export { broadcastAmplification, criticalPath, criticalSeconds, silenceRates, sumLedgers } from "./ledger-analysis.ts";
export { maxPrice, tokenCost, tokenPriceShape, type TokenPrice } from "./token-price.ts";
export { isConsistentUsage, sumKinds, type TokenCounts, type TokenKinds } from "./token-usage.ts";
export { tokenUsageShape } from "./token-usage-shape.ts";
