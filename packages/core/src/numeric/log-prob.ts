import type { Ragged } from "./ragged.ts";

/** What a value may be to pass as the log-prob of a token. */
export interface LogProbRange {
  readonly min: number;
  readonly max: number;
}

/**
 * Of a token that was drawn. No sampler draws one below e^-1000, since 64 random bits reach e^-44: such a value is a masked
 * logit, or the -9999 that servers write for "unknown". Above 0 only rounding is let through, 1e-3 being the spacing of
 * float32 at logits of 10^4.
 */
export const sampledLogProbRange: LogProbRange = { min: -1000, max: 1e-3 };

/** Of a forward pass over any token. Beyond stands a masked logit, such as -1e9, -1e30 or the lowest float. */
export const logProbRange: LogProbRange = { min: -1e6, max: 1e6 };

/** A value that is no log-prob, and where it stands. */
export interface BadLogProb {
  readonly sequence: number;
  /** Within the sequence. */
  readonly token: number;
  readonly value: number;
}

/**
 * The first value out of range, NaN and infinity included; null when there is none.
 * @param mask - [tokens], 0 where any value will do
 */
export function findBadLogProb(data: Ragged, { min, max }: LogProbRange, mask?: Uint8Array): BadLogProb | null {
  const { values, offsets } = data;
  for (let t = 0; t < values.length; t++) {
    const value = values[t] as number;
    if ((value >= min && value <= max) || (mask && mask[t] === 0)) continue;
    const sequence = offsets.findLastIndex((offset) => offset <= t);
    return { sequence, token: t - (offsets[sequence] as number), value };
  }
  return null;
}
