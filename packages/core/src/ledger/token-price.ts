import { group, type GroupShape } from "../shapes/shape.ts";
import type { TokenCounts } from "./token-usage.ts";

/** US dollars per million tokens, by kind. */
export interface TokenPrice {
  readonly prompt: number;
  /** Default: `prompt`. */
  readonly cached?: number;
  /** Default: `prompt`. */
  readonly cacheWrite?: number;
  readonly completion: number;
  /** Default: `completion`. */
  readonly reasoning?: number;
  /** YYYY-MM-DD. */
  readonly date?: string;
}

const rate = { shape: "atLeast0" } as const;

/** Shape of a price in settings. */
export const tokenPriceShape: GroupShape<TokenPrice> = group<TokenPrice>({
  prompt: rate,
  cached: { ...rate, optional: true },
  cacheWrite: { ...rate, optional: true },
  completion: rate,
  reasoning: { ...rate, optional: true },
  date: { shape: "name", optional: true },
});

/** US dollars of a call: the larger of the tokens' price and the server's report; null if both are unknown. */
export function tokenCost(price: TokenPrice, counts: TokenCounts): number;
export function tokenCost(price: TokenPrice | null, counts: TokenCounts): number | null;
export function tokenCost(price: TokenPrice | null, counts: TokenCounts): number | null {
  if (!price) return counts.costUsd ?? null;
  const { promptTokens, cachedTokens = 0, cacheWriteTokens = 0, completionTokens, reasoningTokens = 0 } = counts;
  const { prompt, cached = prompt, cacheWrite = prompt, completion, reasoning = completion } = price;
  const dollars =
    (promptTokens - cachedTokens - cacheWriteTokens) * prompt +
    cachedTokens * cached +
    cacheWriteTokens * cacheWrite +
    (completionTokens - reasoningTokens) * completion +
    reasoningTokens * reasoning;
  return Math.max(dollars / 1e6, counts.costUsd ?? 0);
}

/** Highest prompt and completion rates: an upper bound. */
export function maxPrice({ prompt, cached = 0, cacheWrite = 0, completion, reasoning = 0 }: TokenPrice): TokenPrice {
  return { prompt: Math.max(prompt, cached, cacheWrite), completion: Math.max(completion, reasoning) };
}
