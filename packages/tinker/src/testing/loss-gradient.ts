import { inputError } from "@laconic/core";
import type { Datum } from "../wire/datum.ts";
import type { ServerRecord } from "../engine/server-record.ts";

/** Sequence whose gradient the next step uses. */
export interface QueuedDatum {
  readonly datum: Datum;
  readonly loss: string;
}

/** d loss / d log π per position, for a batch whose losses sum to one. ¶ @param count - sequences of the batch */
export function lossGradient(
  { datum, loss }: QueuedDatum,
  logProbs: ArrayLike<number>,
  count: number,
  { sequences, positions }: ServerRecord["reduction"],
): Float64Array {
  const inputs = datum.loss_fn_inputs;
  const length = logProbs.length;
  const share = 1 / ((sequences === "mean" ? count : 1) * (positions === "mean" ? length : 1));
  const value = (name: string, t: number): number => {
    const match = inputs[name]?.data[t];
    if (match === undefined) throw inputError(`${loss} needs ${name}`);
    return match;
  };
  const at = (t: number): number => {
    // Missing weights are ones.
    if (loss === "cross_entropy") return -(inputs["weights"]?.data[t] ?? 1);
    if (loss === "importance_sampling")
      return -Math.exp((logProbs[t] as number) - value("logprobs", t)) * value("advantages", t);
    throw inputError(`unknown loss ${loss}`);
  };
  return Float64Array.from({ length }, (_, t) => share * at(t));
}
