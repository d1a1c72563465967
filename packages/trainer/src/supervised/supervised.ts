import { LaconicError, inputError } from "@laconic/core";
import type { OptimizerSettings, Ragged, Random, TrainableModel, TrainingSequence } from "@laconic/core";

/** An example whose tokens may differ in weight. */
export interface WeightedSequence extends TrainingSequence {
  /** Loss weights of the completion tokens. Default: 1. */
  readonly tokenWeights?: readonly number[];
}

/** Options of supervised training. */
export interface SupervisedOptions {
  readonly steps: number;
  /** Steps of an earlier training that this one continues. Default 0. */
  readonly firstStep?: number;
  batch(step: number, random: Random): readonly WeightedSequence[] | Promise<readonly WeightedSequence[]>;
  readonly random: Random;
  optimizerAt(step: number): OptimizerSettings;
  readonly signal?: AbortSignal;
  onStep?(step: number, likelihood: Likelihood): void | Promise<void>;
}

/**
 * Maximum likelihood through the token gradient: -weight / total weight.
 * @throws LaconicError `input_invalid` for a step without completion tokens; `aborted`, after which earlier steps
 * remain
 */
export async function supervised(model: TrainableModel, options: SupervisedOptions): Promise<void> {
  for (let step = options.firstStep ?? 0; step < options.steps; step++) {
    if (options.signal?.aborted)
      throw new LaconicError("aborted", `the training was aborted before step ${step}`, { step });
    const batch = await options.batch(step, options.random.split(step));
    const tokens = batch.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0);
    if (tokens === 0) throw inputError(`step ${step}: the examples have no completion token to learn`, { step });
    const likelihood = await addLikelihood(model, batch, 1);
    await model.optimStep(options.optimizerAt(step));
    await options.onStep?.(step + 1, likelihood);
  }
}

/** Log-probabilities of examples before an optimizer step. */
export interface Likelihood {
  readonly sequences: readonly WeightedSequence[];
  readonly tokens: number;
  readonly logProbs: Ragged;
  /** Mean cross-entropy in nats per token, weighted. */
  readonly loss: number;
}

/** Adds the gradient of `weight` × weighted mean cross-entropy. */
export async function addLikelihood(
  model: Pick<TrainableModel, "forwardBackward">,
  sequences: readonly WeightedSequence[],
  weight: number,
): Promise<Likelihood> {
  const tokens = sequences.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0);
  const weights = sequences.map(
    ({ completionTokens: { length }, tokenWeights }) => tokenWeights ?? Array<number>(length).fill(1),
  );
  const flat = weights.flat();
  const total = sumOf(flat);
  const { logProbs } = await model.forwardBackward(sequences, (_, rows) =>
    Float64Array.from(
      rows.flatMap((row) => weights[row] ?? []),
      (value) => (-weight * value) / total,
    ),
  );
  const sum = logProbs.values.reduce((all, value, i) => all + value * (flat[i] ?? 0), 0);
  return { sequences, tokens, logProbs, loss: -sum / total };
}

/** Sums weights, of which few differ, without one rounding error per token. */
function sumOf(weights: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const weight of weights) counts.set(weight, (counts.get(weight) ?? 0) + 1);
  return Array.from(counts).reduce((sum, [weight, count]) => sum + weight * count, 0);
}
