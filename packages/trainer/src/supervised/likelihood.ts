import type { Ragged, TrainableModel, TrainingSequence } from "@laconic/core";

/** What a pass of maximum likelihood went over. */
export interface Likelihood {
  readonly sequences: readonly TrainingSequence[];
  /** That are learned. */
  readonly tokens: number;
  /** log π of them, before the step. */
  readonly logProbs: Ragged;
  /** Mean cross-entropy per token in nats; 0 without a token. */
  readonly loss: number;
}

/** Adds the gradient of `weight` × the mean cross-entropy per completion token to the model's: -weight / tokens for each. */
export async function addLikelihood(
  model: Pick<TrainableModel, "forwardBackward">,
  sequences: readonly TrainingSequence[],
  weight: number,
): Promise<Likelihood> {
  const tokens = sequences.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0);
  const { logProbs } = await model.forwardBackward(sequences, ({ values }) =>
    new Float64Array(values.length).fill(-weight / tokens),
  );
  const sum = logProbs.values.reduce((total, value) => total + value, 0);
  return { sequences, tokens, logProbs, loss: -sum / tokens };
}
