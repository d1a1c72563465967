import { randomFromSeed, type PolicySnapshot } from "@laconic/core";
import { dualController } from "@laconic/budget";
import { objectivePreset } from "@laconic/gspo";
import type { TrainConfig } from "./config.ts";
import { evaluate, type Evaluation } from "./evaluate.ts";
import { checkTrainingParts, trainedAgentsOf, type TrainingParts } from "./parts.ts";
import type { Recorder } from "./run/recorder.ts";
import { measurementOf } from "./stages/measurement.ts";
import { oldLogProbsOf } from "./stages/old-log-probs.ts";
import { rollout } from "./stages/rollout.ts";
import { score } from "./stages/score.ts";
import { stepMetrics } from "./stages/step-metrics.ts";
import { trainingBatch } from "./stages/training-batch.ts";
import { update } from "./stages/update.ts";
import { configWarnings, stepWarnings } from "./warnings.ts";

export interface TrainResult {
  readonly before: Evaluation;
  readonly after: Evaluation;
  /** Steps done in all; fewer than configured when interrupted. */
  readonly steps: number;
  readonly interrupted: boolean;
}

/**
 * Agent-GSPO, Algorithm 1. Continues from the recorder's last checkpoint when there is one. An abort signal ends the run
 * after the step in progress, or the last one under the same old policy.
 *
 * @throws LaconicError `input_invalid` for parts that do not fit together, `reward_invalid` for a grade out of range,
 * and what models and the recorder throw.
 */
export async function train(
  parts: TrainingParts,
  config: TrainConfig,
  recorder: Recorder,
  signal?: AbortSignal,
): Promise<TrainResult> {
  checkTrainingParts(parts);
  const { task, model } = parts;
  const { name, ...settings } = config.objective;
  const objective = objectivePreset(name, settings);
  const controller = config.budget && dualController(config.budget);
  const random = randomFromSeed(config.seed);
  for (const warning of configWarnings(config)) await recorder.warn(warning);

  const reference = config.objective.kl ? await model.snapshot() : null; // before a checkpoint replaces the first weights
  const resumed = await recorder.restore(model);
  let budget = resumed?.budget ?? controller?.init() ?? null;
  let step = resumed?.step ?? 0;
  let snapshot: PolicySnapshot | null = null; // π_old, when it outlives a step
  const before = resumed?.before ?? (await assess(parts, config, recorder, 0));
  let after = resumed?.after ?? before;
  const isRefreshDue = (): boolean => step % config.refreshOldPolicyEvery === 0;
  const isStopping = (): boolean => signal?.aborted === true && isRefreshDue();

  while (step < config.steps && !isStopping()) {
    const clock = recorder.clock();
    const stream = random.split(`step:${step}`);
    const tokenPrice = budget?.price ?? config.prices.tokens ?? 0; // λ_tok
    if (config.refreshOldPolicyEvery > 1) snapshot ??= await model.snapshot();
    const oldPolicy = snapshot ?? model; // the live policy is the old one until the first optimiser step

    // Lines 3-6: queries, G episodes each under the old policy, rewards by Eq. 1.
    const problems = task.problems(stream.split("problems"), config.problemsPerStep);
    const rollouts = await rollout(parts, config, oldPolicy, problems, stream.split("rollout"));
    clock.lap("rollout");
    const scored = score(rollouts, task.grader, config, tokenPrice);

    // Lines 7-10: advantages by Eq. 2; ratios and objective by Eq. 3-4, one optimiser step per minibatch.
    const batch = trainingBatch(scored, config, trainedAgentsOf(parts), tokenPrice);
    const { logProbs: oldLogProbs, gap } = await oldLogProbsOf(config, oldPolicy, batch);
    const refLogProbs = reference && (await reference.forward(batch.sequences)).logProbs;
    clock.lap("old_log_probs");
    const facts = { model, config, objective, batch, oldLogProbs, refLogProbs, step };
    const updated = await update(facts, stream.split("minibatches"));
    clock.lap("update");
    step += 1;

    // Line 11: refresh the old policy. Line 12: move λ by Eq. 5.
    if (isRefreshDue()) {
      await snapshot?.dispose();
      snapshot = null;
    }
    const moved = controller && budget && controller.step(budget, measurementOf(scored));
    budget = moved?.state ?? null;

    // Traces: warnings, metrics, evaluation with transcripts, checkpoint.
    for (const warning of stepWarnings(config, scored, gap)) await recorder.warn(warning);
    const control = moved?.diagnostics ?? null;
    const measured = { step, config, scored, batch, gap, update: updated, tokenPrice, budget: control };
    await recorder.step(stepMetrics(measured), clock);
    const isLast = step === config.steps;
    if (isLast || isDue(step, config.evaluation.every)) {
      await recorder.rollouts(step, scored.slice(0, config.evaluation.transcripts));
      after = await assess(parts, config, recorder, step);
    }
    if (isLast || isStopping() || isDue(step, config.checkpoint.every))
      await recorder.checkpoint(model, { step, budget, before, after });
  }
  await snapshot?.dispose();
  await reference?.dispose();
  if (step === 0) await recorder.checkpoint(model, { step, budget, before, after }); // stopped before the first step
  return { before, after, steps: step, interrupted: step < config.steps };
}

/** Never when `every` is 0. */
function isDue(step: number, every: number): boolean {
  return every > 0 && step % every === 0;
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
