import { LaconicError, ragged, type ForwardOptions, type SequenceLogProbs, type TrainingSequence } from "@laconic/core";

/** The wire has no entropy: minus the log-prob of a sampled token is unbiased for it. */
export function estimated(rows: readonly number[][]): SequenceLogProbs {
  return {
    logProbs: ragged(rows),
    entropy: ragged(rows.map((row) => row.map((value) => -value))),
    entropyIsEstimate: true,
  };
}

/** @throws LaconicError `input_invalid` for what the protocol cannot be asked */
export function expectForward(sequences: readonly TrainingSequence[], { topLogProbs }: ForwardOptions): void {
  if (topLogProbs !== undefined)
    throw new LaconicError("input_invalid", "topLogProbs cannot be asked for on this protocol", { key: "topLogProbs" });
  sequences.forEach(({ temperature = 1 }, sequence) => {
    // Greedy replies have log-probs at temperature 1.
    if (temperature !== 1 && temperature !== 0)
      throw new LaconicError(
        "input_invalid",
        `sequence ${sequence}: temperature is ${temperature}; this protocol gives log-probs at temperature 1 only`,
        { sequence, key: "temperature" },
      );
  });
}
