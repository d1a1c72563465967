import type { TokenKinds } from "@laconic/core/ledger";

const titles = { cachedTokens: "cached", cacheWriteTokens: "cache writes", reasoningTokens: "reasoning" } as const;
type Kind = keyof typeof titles;

/** Columns of a table for the token kinds that any of its rows has, beside the prompt and completion tokens that include them. */
export interface KindColumns {
  readonly titles: readonly string[];
  counts(row: TokenKinds): readonly number[];
}

/** @param unit - behind each title */
export function kindColumns(rows: readonly TokenKinds[], unit = ""): KindColumns {
  const kinds = (Object.keys(titles) as Kind[]).filter((kind) => rows.some((row) => row[kind] !== undefined));
  return {
    titles: kinds.map((kind) => `${titles[kind]}${unit}`),
    counts: (row) => kinds.map((kind) => row[kind] ?? 0),
  };
}
