import {
  LaconicError,
  type OptimizerSettings,
  type Random,
  type TrainableModel,
  type TrainingSequence,
} from "@laconic/core";
import { learningRateAt, type LearningRateSchedule } from "./learning-rate.ts";

/** Steps, batches and optimiser of supervised training. */
export interface SupervisedOptions {
  readonly steps: number;
  /** Draws the examples of a step. */
  batch(step: number, random: Random): readonly TrainingSequence[];
  readonly random: Random;
  readonly optimizer: Omit<OptimizerSettings, "learningRate">;
  readonly learningRate: LearningRateSchedule;
  /** Ends it before the next step. */
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
    const { logProbs } = await model.forwardBackward(batch, (part) =>
      new Float64Array(part.values.length).fill(-1 / tokens),
    );
    const learningRate = learningRateAt(options.learningRate, step, options.steps);
    await model.optimStep({ ...options.optimizer, learningRate });
    await options.onStep?.(step + 1, -logProbs.values.reduce((sum, value) => sum + value, 0) / tokens);
  }
}
