/** Token kinds with separate rates; missing if the server reports none. */
export interface TokenKinds {
  /** Prompt tokens read from the server's cache; part of the prompt tokens. */
  readonly cachedTokens?: number;
  /** Prompt tokens written to the server's cache; part of the prompt tokens, but not of the cached ones. */
  readonly cacheWriteTokens?: number;
  /** Reasoning tokens, shown or hidden; part of the completion tokens. */
  readonly reasoningTokens?: number;
  /** US dollars reported by the server. */
  readonly costUsd?: number;
}

/** Tokens of a call by kind: cached + cache-write <= prompt, reasoning <= completion. */
export interface TokenCounts extends TokenKinds {
  readonly promptTokens: number;
  /** All written tokens with reasoning, and with the end token if the model counts it. */
  readonly completionTokens: number;
}

/** Tokens of one request, with the source of the count. */
export interface TokenUsage extends TokenCounts {
  /** `server` only if all counts of the reply exist and agree. Other counts are never below the server's. */
  readonly counted: "model" | "server" | "tokenizer" | "estimate";
}

const kindNames = ["cachedTokens", "cacheWriteTokens", "reasoningTokens", "costUsd"] as const;

/** Sums token kinds over calls; kinds with sum 0 are missing. */
export function sumKinds(counts: Iterable<TokenKinds>): TokenKinds {
  const sums: Partial<Record<keyof TokenKinds, number>> = {};
  for (const each of counts) for (const kind of kindNames) if (each[kind]) sums[kind] = (sums[kind] ?? 0) + each[kind];
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
