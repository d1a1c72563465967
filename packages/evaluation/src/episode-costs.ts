import { criticalPath, criticalSeconds, ledgerTotals, type Ledger } from "@laconic/core";
import { z } from "zod";

/** What an episode took, as records keep it. */
export interface EpisodeCosts {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly readTokens: number;
  /** Tokens that cannot be written at the same time. */
  readonly criticalTokens: number;
  /** Seconds that cannot run at the same time; null where none were measured. */
  readonly criticalSeconds: number | null;
}

const count = z.int().min(0);

/** Fields of a stored record. */
export const episodeCostFields: { readonly [K in keyof EpisodeCosts]: z.ZodType<EpisodeCosts[K]> } = {
  calls: count,
  promptTokens: count,
  completionTokens: count,
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
  const { calls, promptTokens, writtenTokens, readTokens } = ledgerTotals(ledger);
  return {
    calls,
    promptTokens,
    completionTokens: writtenTokens,
    readTokens,
    criticalTokens: criticalPath(ledger).writtenTokens,
    criticalSeconds: criticalSeconds(ledger),
  };
}
