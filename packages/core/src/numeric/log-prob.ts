import type { Ragged } from "./ragged.ts";

/** Valid range of a log-prob. */
export interface LogProbRange {
  readonly min: number;
  readonly max: number;
}

/**
 * Range for a drawn token. 64 random bits reach e^-44; below -1000 are masked logits, or servers' -9999 for "unknown".
 * Up to 1e-3 is float32 rounding at logits of 10^4.
 */
export const sampledLogProbRange: LogProbRange = { min: -1000, max: 1e-3 };

/** Range for any token of a forward pass; excludes masked logits such as -1e9 or -1e30. */
export const logProbRange: LogProbRange = { min: -1e6, max: 1e6 };

/**
 * First value out of range or not finite, or null.
 * @param mask - [tokens], 0 to skip
 */
export function findBadLogProb(
  data: Ragged,
  { min, max }: LogProbRange,
  mask?: Uint8Array,
): Readonly<Record<"sequence" | "token" | "value", number>> | null {
  const { values, offsets } = data;
  for (let t = 0; t < values.length; t++) {
    const value = values[t]!;
    if ((value >= min && value <= max) || (mask && mask[t] === 0)) continue;
    const sequence = offsets.findLastIndex((offset) => offset <= t);
    return { sequence, token: t - offsets[sequence]!, value };
  }
  return null;
}
