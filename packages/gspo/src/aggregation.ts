import { type BatchTotals, inputError } from "@laconic/core";
import type { Prepared } from "./prepare.ts";

/** Weights of token losses: L = sum of weight * loss, for P prompts and N sequences. */
export type Aggregation =
  /** 1 / (N |y|): GRPO, GSPO, SAPO. */
  | "seq-mean-token-mean"
  /** 1 / tokens of the optimizer batch: DAPO. */
  | "token-mean"
  /** 1 / N: MAGRPO; proportional to length. */
  | "seq-mean-token-sum"
  /** 1 / (N L) with a constant L: Dr.GRPO. */
  | "seq-mean-token-sum-norm"
  /** 1: the caller scales. */
  | "token-sum"
  /** 1 / (P tokens of the prompt's group): SkyRL. Requires the whole optimizer batch in one call. */
  | "prompt-mean";

const divisorOf: Readonly<
  Record<Aggregation, (totals: BatchTotals, length: number, constantLength: number, groupTokens: number) => number>
> = {
  "seq-mean-token-mean": ({ sequences }, length) => sequences * length,
  "token-mean": ({ tokens }) => tokens,
  "seq-mean-token-sum": ({ sequences }) => sequences,
  "seq-mean-token-sum-norm": ({ sequences }, _, constantLength) => sequences * constantLength,
  "token-sum": () => 1,
  "prompt-mean": ({ groups = NaN }, _, __, groupTokens) => groups * groupTokens,
};

export const aggregations: readonly string[] = Object.keys(divisorOf);

/**
 * Token weight per sequence, [S]; 0 if empty.
 * @param constantLength - L of `seq-mean-token-sum-norm`
 */
export function sequenceWeights(
  prepared: Prepared,
  aggregation: Aggregation,
  constantLength: number = NaN,
): Float64Array {
  const { lengths, totals, input } = prepared;
  const groupTokens = aggregation === "prompt-mean" ? tokensByGroup(prepared) : null;
  return Float64Array.from(lengths, (length, s) => {
    const ofGroup = groupTokens?.get(input.groups?.[s] as number) ?? NaN;
    return length === 0 ? 0 : 1 / divisorOf[aggregation](totals, length, constantLength, ofGroup);
  });
}

/** A part may lack tokens of a group. */
function tokensByGroup({ input, lengths, totals }: Prepared): Map<number, number> {
  const { groups } = input;
  if (!groups || totals.groups === undefined)
    throw inputError("prompt-mean needs the group of each sequence and the number of groups");
  const own = lengths.reduce((sum, length) => sum + length, 0);
  if (totals.tokens !== own)
    throw inputError(
      `prompt-mean: this call has ${own} of the batch's ${totals.tokens} tokens, and a group's other tokens are unknown; evaluate the whole batch at once`,
    );
  const tokens = new Map<number, number>();
  lengths.forEach((length, s) => tokens.set(groups[s]!, (tokens.get(groups[s]!) ?? 0) + length));
  return tokens;
}
