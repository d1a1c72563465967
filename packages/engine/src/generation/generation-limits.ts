import { freeShare, type CacheLimit } from "./cache-bytes.ts";
import { unlimitedPrefixes, type KeptPrefixLimits } from "./kept-prefixes.ts";

/** What bounds the memory of a batch. */
export interface GenerationLimits {
  /** Of keys and values of all layers; more requests wait until others have ended. */
  readonly cache: CacheLimit;
  /** Most prompt tokens in one pass while nobody decodes. */
  readonly prefillTokens: number;
  /** Most prompt tokens in one pass between two decode steps, so that running replies do not wait long. */
  readonly prefillTokensBetween: number;
  readonly keptPrefixes: KeptPrefixLimits;
  /**
   * Steps that the device may be ahead of the host: with 1 a step is enqueued before the tokens of the last are read, and
   * what it draws behind the end of a reply is dropped. Replies are the same.
   */
  readonly stepsAhead: 0 | 1;
}

export const defaultLimits: GenerationLimits = {
  cache: { share: freeShare },
  prefillTokens: 16_384,
  prefillTokensBetween: 2048,
  keptPrefixes: unlimitedPrefixes,
  stepsAhead: 0,
};
