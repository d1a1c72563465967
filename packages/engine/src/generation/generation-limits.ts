import { freeShare, type CacheLimit } from "./cache-bytes.ts";
import { unlimitedPrefixes, type KeptPrefixLimits } from "./kept-prefixes.ts";

export interface GenerationLimits {
  /** Keys and values of all layers; further requests wait. */
  readonly cache: CacheLimit;
  /** Max prompt tokens per pass while no reply decodes. */
  readonly prefillTokens: number;
  /** Max prompt tokens per pass between decode steps, to limit delays of running replies. */
  readonly prefillTokensBetween: number;
  readonly keptPrefixes: KeptPrefixLimits;
  /**
   * Max steps that the device is ahead of the host. If 1, steps are enqueued before the last one is read, and tokens
   * after a reply's end are dropped. Replies do not change.
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
