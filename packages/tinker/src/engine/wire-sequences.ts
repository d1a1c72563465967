import { type ForwardOptions, inputError, ragged, type SequenceLogProbs, type TrainingSequence } from "@laconic/core";
import { datum, type Datum } from "../wire/datum.ts";
import type { ServerRecord } from "./server-record.ts";

export interface PendingSequence {
  readonly tokens: readonly number[];
  /** Index of the first completion token among predicted positions. */
  readonly start: number;
  /** log π of the completion tokens from the forward pass. */
  readonly logProbs: Float64Array;
  /** d loss / d log π of each completion token. */
  readonly gradient: Float64Array;
}

/** Sequence for a pass without gradient. `cross_entropy` returns log-probs of every position. */
export function forwardDatum({ promptTokens, completionTokens }: TrainingSequence): Datum {
  const tokens = [...promptTokens, ...completionTokens];
  const weights = new Float64Array(tokens.length - 1).fill(1, promptTokens.length - 1);
  return datum(tokens, { weights });
}

/**
 * Expresses any loss by `importance_sampling`: at a ratio of exactly 1, the gradient by a log-prob is minus its
 * advantage. A server's average is undone here.
 * @param count - number of sequences between two steps
 */
export function gradientDatum(
  { tokens, start, logProbs, gradient }: PendingSequence,
  count: number,
  { sequences, positions }: ServerRecord["reduction"],
): Datum {
  const length = tokens.length - 1;
  const scale = (positions === "mean" ? length : 1) * (sequences === "mean" ? count : 1);
  const [sent, advantages] = [new Float64Array(length), new Float64Array(length)];
  sent.set(logProbs, start);
  gradient.forEach((value, i) => (advantages[start + i] = -value * scale));
  return datum(tokens, { logprobs: sent, advantages });
}

/** Minus the log-prob of a sampled token is an unbiased estimate of the entropy. */
export function estimated(rows: readonly number[][]): SequenceLogProbs {
  return {
    logProbs: ragged(rows),
    entropy: ragged(rows.map((row) => row.map((value) => -value))),
    entropyIsEstimate: true,
  };
}

/** @throws LaconicError `input_invalid` for requests beyond the protocol */
export function expectForward(sequences: readonly TrainingSequence[], { topLogProbs }: ForwardOptions): void {
  if (topLogProbs !== undefined)
    throw inputError("topLogProbs is not supported by this protocol", { key: "topLogProbs" });
  sequences.forEach(({ temperature = 1 }, sequence) => {
    // Greedy replies have log-probs at temperature 1.
    if (temperature !== 1 && temperature !== 0)
      throw inputError(
        `sequence ${sequence}: temperature is ${temperature}; this protocol reports log-probs at temperature 1 only`,
        { sequence, key: "temperature" },
      );
  });
}
