import { randomFromSeed, type PolicySnapshot, type Ragged, type Sampler } from "@laconic/core";
import { dualController } from "@laconic/budget";
import { objectivePreset, objectiveWarnings } from "@laconic/gspo";
import { priceIndependence } from "@laconic/rewards";
import type { TrainConfig } from "./config.ts";
import { evaluate, type Evaluation } from "./evaluate.ts";
import type { TrainingParts } from "./parts.ts";
import type { Recorder } from "./run/recorder.ts";
import { rollout } from "./stages/rollout.ts";
import { meanTokens, score, type ScoredRollout } from "./stages/score.ts";
import { stepMetrics } from "./stages/step-metrics.ts";
import { trainingBatch, type TrainingBatch } from "./stages/training-batch.ts";
import { update } from "./stages/update.ts";

export interface TrainResult {
  readonly before: Evaluation;
  readonly after: Evaluation;
  /** Steps done in all; fewer than configured when interrupted. */
  readonly steps: number;
  readonly interrupted: boolean;
}

/** Agent-GSPO, Algorithm 1. Continues from the recorder's last checkpoint when there is one. */
export async function train(
  parts: TrainingParts,
  config: TrainConfig,
  recorder: Recorder,
  signal?: AbortSignal,
): Promise<TrainResult> {
  const { task, model } = parts;
  const { name, ...settings } = config.objective;
  const objective = objectivePreset(name, settings);
  const controller = config.budget && dualController(config.budget);
  const trainedAgents = new Set(parts.trainedAgents ?? task.topology.agents);
  const random = randomFromSeed(config.seed);
  for (const warning of objectiveWarnings(name, settings, config.optimizer.learningRate.peak))
    await recorder.warn(warning);

  const resumed = await recorder.restore(model);
  let budget = resumed?.budget ?? controller?.init() ?? null;
  let step = resumed?.step ?? 0;
  let snapshot: PolicySnapshot | null = null; // π_old, when it outlives a step
  const before = resumed?.before ?? (await assess(parts, config, recorder, 0));
  let after = resumed?.after ?? before;

  while (step < config.steps && !(signal?.aborted && step % config.refreshOldPolicyEvery === 0)) {
    const clock = recorder.clock();
    const stream = random.split(`step:${step}`);
    const tokenPrice = budget?.price ?? config.prices.tokens ?? 0; // λ_tok
    if (config.refreshOldPolicyEvery > 1) snapshot ??= await model.snapshot();
    const oldPolicy: Sampler = snapshot ?? model;

    // Lines 3-6: queries, G episodes each under the old policy, rewards by Eq. 1.
    const problems = task.problems(stream.split("problems"), config.problemsPerStep);
    const rollouts = await rollout(parts, config, oldPolicy, problems, stream.split("rollout"));
    clock.lap("rollout");
    const scored = score(rollouts, task.grader, config, tokenPrice);

    // Lines 7-10: advantages by Eq. 2; ratios and objective by Eq. 3-4, one optimiser step per minibatch.
    await warnOfInertPrice(config, scored, recorder);
    const batch = trainingBatch(scored, config, trainedAgents);
    const oldLogProbs = await oldLogProbsOf(config, oldPolicy, batch);
    clock.lap("old_log_probs");
    const updated = await update({ model, config, objective, batch, oldLogProbs, step }, stream.split("minibatches"));
    clock.lap("update");
    step += 1;

    // Line 11: refresh the old policy. Line 12: move λ by Eq. 5.
    if (snapshot && step % config.refreshOldPolicyEvery === 0) {
      await snapshot.dispose();
      snapshot = null;
    }
    const moved = controller && budget ? controller.step(budget, measurement(scored)) : null;
    budget = moved?.state ?? budget;

    const control = moved?.diagnostics ?? null;
    await recorder.step(
      stepMetrics({ step, config, scored, batch, update: updated, tokenPrice, budget: control }),
      clock,
    );
    const last = step === config.steps;
    if (last || (config.evaluation.every > 0 && step % config.evaluation.every === 0))
      after = await assess(parts, config, recorder, step);
    const stopping = signal?.aborted === true && step % config.refreshOldPolicyEvery === 0;
    if (last || stopping || step % config.checkpoint.every === 0)
      await recorder.checkpoint(model, { step, budget, before, after });
  }
  await snapshot?.dispose();
  if (step === 0) await recorder.checkpoint(model, { step, budget, before, after }); // stopped before the first step
  return { before, after, steps: step, interrupted: step < config.steps };
}

/** Held-out accuracy and tokens of the live policy, with transcripts of the first problems. */
async function assess(
  parts: TrainingParts,
  config: TrainConfig,
  recorder: Recorder,
  step: number,
): Promise<Evaluation> {
  const { problems, transcripts } = config.evaluation;
  const options = { seed: config.seed, step, problems, sampling: config.sampling };
  const { evaluation, episodes } = await evaluate(parts, parts.model, options);
  await recorder.evaluation(evaluation, episodes.slice(0, transcripts));
  return evaluation;
}

async function oldLogProbsOf(config: TrainConfig, oldPolicy: Sampler, batch: TrainingBatch): Promise<Ragged> {
  if (config.oldLogProbs === "sampler") return batch.sampledLogProbs;
  return (await oldPolicy.forward(batch.sequences)).logProbs;
}

/** σ-normalised groups that differ in tokens alone teach brevity at full strength, whatever λ is. */
async function warnOfInertPrice(
  config: TrainConfig,
  scored: readonly ScoredRollout[],
  recorder: Recorder,
): Promise<void> {
  if (config.advantage.estimator !== "group" || config.advantage.scale !== "group") return;
  const groups = scored.map((_, episode) => Math.floor(episode / config.episodesPerProblem));
  const inert = priceIndependence(
    scored.map(({ terms }) => terms),
    groups,
  );
  if (inert.dominates)
    await recorder.warn(
      "in most groups that teach something only the token cost differs: with advantage.scale group the price of a token has no effect there (Eq. 2 divides it away); advantage.scale none restores it",
    );
}

function measurement(scored: readonly ScoredRollout[]): { tokens: number; taskReward: number; silenceRate: number } {
  const turns = scored.flatMap(({ episode }) => episode.utterances);
  const tasks = scored.map(({ measured }) => measured.task).filter((task) => !Number.isNaN(task));
  return {
    tokens: meanTokens(scored),
    taskReward: tasks.reduce((sum, task) => sum + task, 0) / Math.max(1, tasks.length),
    silenceRate: turns.filter(({ silent }) => silent).length / Math.max(1, turns.length),
  };
}
