/** Missing if the server reports none. */
export interface TokenKinds {
  /** Read from the server's cache; part of the prompt tokens. */
  readonly cachedTokens?: number;
  /** Written to the server's cache; part of the prompt tokens, but not of the cached ones. */
  readonly cacheWriteTokens?: number;
  /** Shown or hidden; part of the completion tokens. */
  readonly reasoningTokens?: number;
  readonly costUsd?: number;
}

/** Cached + cache-write <= prompt, reasoning <= completion. */
export interface TokenCounts extends TokenKinds {
  readonly promptTokens: number;
  /** Includes reasoning, and the end token if the model counts it. */
  readonly completionTokens: number;
}

/** Tokens of one request, with the source of the count. */
export interface TokenUsage extends TokenCounts {
  /** `server` only if all counts exist and agree. Other counts are never below the server's. */
  readonly counted: "model" | "server" | "tokenizer" | "estimate";
}

const kindNames = ["cachedTokens", "cacheWriteTokens", "reasoningTokens", "costUsd"] as const;

/** Sums over calls; kinds with sum 0 are missing. */
export function sumKinds(counts: Iterable<TokenKinds>): TokenKinds {
  const sums: Partial<Record<keyof TokenKinds, number>> = {};
  for (const count of counts)
    for (const kind of kindNames) if (count[kind]) sums[kind] = (sums[kind] ?? 0) + count[kind];
  return sums;
}

/** Whether all counts are integers >= 0 and no part exceeds its whole. */
export function isConsistentUsage(counts: TokenCounts): boolean {
  const { promptTokens, cachedTokens = 0, cacheWriteTokens = 0, completionTokens, reasoningTokens = 0 } = counts;
  const rests = [promptTokens - cachedTokens - cacheWriteTokens, completionTokens - reasoningTokens];
  return [...rests, cachedTokens, cacheWriteTokens, reasoningTokens].every(
    (count) => Number.isInteger(count) && count >= 0,
  );
}
