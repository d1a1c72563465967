import {
  emptyStatistic,
  mergeDiagnostics,
  mergeStatistics,
  raggedSelect,
  statisticOf,
  type Diagnostics,
  type Objective,
  type OptimizerResult,
  type Ragged,
  type Random,
  type Statistic,
  type TrainableModel,
  type TrainingSequence,
} from "@laconic/core";
import { unitIndex, withRatioUnits } from "@laconic/gspo";
import type { TrainConfig } from "../config.ts";
import { learningRateAt } from "../learning-rate.ts";
import type { TrainingBatch } from "./training-batch.ts";

/** What the optimiser did with one batch. */
export interface UpdateResult {
  readonly loss: number;
  readonly gradNorm: Statistic;
  readonly learningRate: number;
  /** Optimiser steps left out because the gradient was not finite. */
  readonly skipped: number;
  readonly entropy: Statistic;
  readonly diagnostics: Diagnostics;
}

/** Minibatches of Eq. 3-4: shuffled, one optimiser step each. */
export async function update(
  model: TrainableModel,
  config: TrainConfig,
  objective: Objective,
  batch: TrainingBatch,
  oldLogProbs: Ragged,
  random: Random,
): Promise<UpdateResult> {
  const order = random.shuffle(batch.sequences.map((_, row) => row));
  let result: UpdateResult = {
    loss: 0,
    gradNorm: emptyStatistic,
    learningRate: 0,
    skipped: 0,
    entropy: emptyStatistic,
    diagnostics: {},
  };
  for (const rows of split(order, config.minibatches)) {
    const done = await minibatch(model, config, objective, batch, oldLogProbs, rows);
    result = {
      loss: result.loss + done.loss / config.minibatches,
      gradNorm: mergeStatistics(result.gradNorm, done.gradNorm),
      learningRate: done.learningRate,
      skipped: result.skipped + done.skipped,
      entropy: mergeStatistics(result.entropy, done.entropy),
      diagnostics: mergeDiagnostics(result.diagnostics, done.diagnostics),
    };
  }
  return result;
}

async function minibatch(
  model: TrainableModel,
  config: TrainConfig,
  objective: Objective,
  batch: TrainingBatch,
  oldLogProbs: Ragged,
  rows: readonly number[],
): Promise<UpdateResult> {
  const sequences = rows.map((row) => batch.sequences[row] as TrainingSequence);
  const totals = {
    sequences: sequences.length,
    tokens: sequences.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0),
    groups: new Set(rows.map((row) => batch.problems[row])).size,
  };
  let loss = 0;
  let diagnostics: Diagnostics = {};
  const { entropy } = await model.forwardBackward(sequences, (logProbs, chosen) => {
    const picked = chosen.map((i) => rows[i] as number);
    const output = unitObjective(objective, config, batch, picked).evaluate({
      logProbs,
      oldLogProbs: raggedSelect(oldLogProbs, picked),
      advantages: Float64Array.from(picked, (row) => batch.advantages[row] as number),
      groups: Int32Array.from(picked, (row) => batch.problems[row] as number),
      totals,
    });
    loss += output.loss;
    diagnostics = mergeDiagnostics(diagnostics, output.diagnostics);
    return output.gradient;
  });
  const { learningRate: schedule, ...settings } = config.optimizer;
  const learningRate = learningRateAt(schedule, model.weightVersion, config.steps * config.minibatches);
  const step: OptimizerResult = await model.optimStep({ ...settings, learningRate });
  return {
    loss,
    gradNorm: statisticOf(Number.isFinite(step.gradNorm) ? [step.gradNorm] : []),
    learningRate,
    skipped: step.applied ? 0 : 1,
    entropy: statisticOf(entropy.values),
    diagnostics,
  };
}

function unitObjective(
  objective: Objective,
  config: TrainConfig,
  batch: TrainingBatch,
  rows: readonly number[],
): Objective {
  if (config.ratioUnit === "message") return objective;
  const items = rows.map((row) => {
    const { agent, turn } = batch.utterances[row] as TrainingBatch["utterances"][number];
    return { episode: batch.episodes[row] as number, agent, turn };
  });
  return withRatioUnits(objective, unitIndex(items, config.ratioUnit));
}

/** Even parts in order; the first ones take the remainder. */
function split(order: readonly number[], parts: number): number[][] {
  return Array.from({ length: parts }, (_, i) =>
    order.slice(Math.floor((i * order.length) / parts), Math.floor(((i + 1) * order.length) / parts)),
  );
}
