import { ledgerTotals, type Ledger } from "@laconic/core";
import { criticalPath, criticalSeconds, tokenCounts, type TokenCounts } from "@laconic/core/ledger";
import { z } from "zod";

/** What an episode took, as records keep it. */
export interface EpisodeCosts extends TokenCounts {
  readonly calls: number;
  readonly readTokens: number;
  /** Tokens that cannot be written at the same time. */
  readonly criticalTokens: number;
  /** Seconds that cannot run at the same time; null where none were measured. */
  readonly criticalSeconds: number | null;
}

const count = z.int().min(0);

/** Token counts of a stored record. */
export const tokenCountFields: Record<"promptTokens" | "completionTokens", z.ZodInt> &
  Record<"cachedTokens" | "cacheWriteTokens" | "reasoningTokens", z.ZodExactOptional<z.ZodInt>> &
  Record<"costUsd", z.ZodExactOptional<z.ZodNumber>> = {
  promptTokens: count,
  completionTokens: count,
  cachedTokens: count.exactOptional(),
  cacheWriteTokens: count.exactOptional(),
  reasoningTokens: count.exactOptional(),
  costUsd: z.number().min(0).exactOptional(),
};

/** Fields of a stored record. */
export const episodeCostFields: typeof tokenCountFields & {
  readonly [K in Exclude<keyof EpisodeCosts, keyof TokenCounts>]: z.ZodType<EpisodeCosts[K]>;
} = {
  calls: count,
  ...tokenCountFields,
  readTokens: count,
  criticalTokens: count,
  // Records of before it was measured have none.
  criticalSeconds: z.number().min(0).nullable().default(null),
};

/** Of an episode that an error ended. */
export const noCosts: EpisodeCosts = {
  calls: 0,
  promptTokens: 0,
  completionTokens: 0,
  readTokens: 0,
  criticalTokens: 0,
  criticalSeconds: null,
};

/** What an episode took, by its ledger. */
export function episodeCosts(ledger: Ledger): EpisodeCosts {
  const totals = ledgerTotals(ledger);
  return {
    calls: totals.calls,
    ...tokenCounts(totals),
    readTokens: totals.readTokens,
    criticalTokens: criticalPath(ledger).writtenTokens,
    criticalSeconds: criticalSeconds(ledger),
  };
}
