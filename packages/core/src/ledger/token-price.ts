import { group, shapes, type GroupShape } from "../shapes/shape.ts";
import type { TokenCounts } from "./token-usage.ts";

/** US dollars per million tokens of each kind. */
export interface TokenPrice {
  readonly prompt: number;
  /** Default: the prompt's rate. */
  readonly cached?: number;
  /** Default: the prompt's rate. */
  readonly cacheWrite?: number;
  readonly completion: number;
  /** Default: the completion's rate. */
  readonly reasoning?: number;
  /** Day on which the provider's price was read, YYYY-MM-DD. */
  readonly date?: string;
}

const rate = { shape: shapes.atLeast0 };

/** The shape of a price in settings. */
export const tokenPriceShape: GroupShape<TokenPrice> = group<TokenPrice>({
  prompt: rate,
  cached: { ...rate, optional: true },
  cacheWrite: { ...rate, optional: true },
  completion: rate,
  reasoning: { ...rate, optional: true },
  date: { shape: { kind: "text", notEmpty: true }, optional: true },
});

/** US dollars of a call: the larger of its tokens' price and the cost that the server reports; null if both are unknown. */
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

/** Highest rates of prompt and completion tokens: an upper bound before their kinds are known. */
export function maxPrice({ prompt, cached = 0, cacheWrite = 0, completion, reasoning = 0 }: TokenPrice): TokenPrice {
  return { prompt: Math.max(prompt, cached, cacheWrite), completion: Math.max(completion, reasoning) };
}
