import {
  LaconicError,
  type OptimizerSettings,
  type Ragged,
  type Random,
  type TrainableModel,
  type TrainingSequence,
  inputError,
} from "@laconic/core";
import { learningRateAt, type LearningRateSchedule } from "../settings/schedules.ts";

/** Options of supervised training. */
export interface SupervisedOptions {
  readonly steps: number;
  batch(step: number, random: Random): readonly TrainingSequence[];
  readonly random: Random;
  readonly optimizer: Omit<OptimizerSettings, "learningRate">;
  readonly learningRate: LearningRateSchedule;
  readonly signal?: AbortSignal;
  /** @param loss - mean cross-entropy in nats per token */
  onStep?(step: number, loss: number): void | Promise<void>;
}

/**
 * Maximum likelihood through the token gradient: -1 / tokens.
 * @throws LaconicError `input_invalid` for a step without completion tokens; `aborted`, after which earlier steps
 * remain
 */
export async function supervised(model: TrainableModel, options: SupervisedOptions): Promise<void> {
  for (let step = 0; step < options.steps; step++) {
    if (options.signal?.aborted)
      throw new LaconicError("aborted", `the training was aborted before step ${step}`, { step });
    const batch = options.batch(step, options.random.split(step));
    const tokens = batch.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0);
    if (tokens === 0) throw inputError(`step ${step}: the examples have no completion token to learn`, { step });
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
  /** Mean cross-entropy in nats per token. */
  readonly loss: number;
}

/** Adds the gradient of `weight` × mean cross-entropy: -weight / tokens each. */
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
