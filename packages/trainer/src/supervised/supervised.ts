import {
  LaconicError,
  type OptimizerSettings,
  type Ragged,
  type Random,
  type TrainableModel,
  type TrainingSequence,
} from "@laconic/core";
import { learningRateAt, type LearningRateSchedule } from "../settings/schedules.ts";

export interface SupervisedOptions {
  readonly steps: number;
  batch(step: number, random: Random): readonly TrainingSequence[];
  readonly random: Random;
  readonly optimizer: Omit<OptimizerSettings, "learningRate">;
  readonly learningRate: LearningRateSchedule;
  readonly signal?: AbortSignal;
  /** Called after each step with the mean cross-entropy per token in nats. */
  onStep?(step: number, loss: number): void | Promise<void>;
}

/**
 * Maximum likelihood on examples, through the seam that reinforcement learning uses: the token gradient is -1 / tokens.
 * @throws LaconicError `input_invalid` when the examples of a step have no completion token, `aborted` by the signal: the
 * steps before are learned
 */
export async function supervised(model: TrainableModel, options: SupervisedOptions): Promise<void> {
  for (let step = 0; step < options.steps; step++) {
    if (options.signal?.aborted)
      throw new LaconicError("aborted", `the training was aborted before step ${step}`, { step });
    const batch = options.batch(step, options.random.split(step));
    const tokens = batch.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0);
    if (tokens === 0)
      throw new LaconicError("input_invalid", `step ${step}: the examples have no completion token to learn`, { step });
    const { loss } = await addLikelihood(model, batch, 1);
    const learningRate = learningRateAt(options.learningRate, step, options.steps);
    await model.optimStep({ ...options.optimizer, learningRate });
    await options.onStep?.(step + 1, loss);
  }
}

export interface Likelihood {
  readonly sequences: readonly TrainingSequence[];
  readonly tokens: number;
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
