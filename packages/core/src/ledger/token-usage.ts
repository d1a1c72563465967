/** Parts of a call's tokens with separate rates; absent if the server reports none. */
export interface TokenKinds {
  /** Prompt tokens read from the server's cache; included in the prompt tokens. */
  readonly cachedTokens?: number;
  /** Prompt tokens written to the server's cache; included in the prompt tokens, and not in the cached ones. */
  readonly cacheWriteTokens?: number;
  /** Reasoning tokens, shown or hidden; included in the completion tokens. */
  readonly reasoningTokens?: number;
  /** US dollars that the server reports for the call. */
  readonly costUsd?: number;
}

/** Tokens of a call by kind: cached + cache-write <= prompt, reasoning <= completion. */
export interface TokenCounts extends TokenKinds {
  /** All prompt tokens. */
  readonly promptTokens: number;
  /** All tokens written, reasoning included; the end token too where the model counts it. */
  readonly completionTokens: number;
}

/** Tokens of one request, and who counted them. */
export interface TokenUsage extends TokenCounts {
  /** `server` only where all of a reply's counts are present and agree; other counts are never below the server's. */
  readonly counted: "model" | "server" | "tokenizer" | "estimate";
}

const kindNames = ["cachedTokens", "cacheWriteTokens", "reasoningTokens", "costUsd"] as const;

/** Adds up the kinds of many calls, or picks those of one; kinds that sum to 0 are absent. */
export function sumKinds(counts: Iterable<TokenKinds>): TokenKinds {
  const sums: Partial<Record<keyof TokenKinds, number>> = {};
  for (const each of counts) for (const kind of kindNames) if (each[kind]) sums[kind] = (sums[kind] ?? 0) + each[kind];
  return sums;
}

/** Whether all counts are whole numbers from 0 and no part exceeds its whole. */
export function isConsistentUsage(counts: TokenCounts): boolean {
  const { promptTokens, cachedTokens = 0, cacheWriteTokens = 0, completionTokens, reasoningTokens = 0 } = counts;
  const rests = [promptTokens - cachedTokens - cacheWriteTokens, completionTokens - reasoningTokens];
  return [...rests, cachedTokens, cacheWriteTokens, reasoningTokens].every(
    (count) => Number.isInteger(count) && count >= 0,
  );
}
