import { LaconicError, randomFromSeed, type PolicySnapshot } from "@laconic/core";
import { dualController } from "@laconic/budget";
import type { TrainConfig } from "./config.ts";
import { declineOf } from "./decline.ts";
import { evaluate, type Evaluation } from "./evaluate.ts";
import {
  checkTrainingParts,
  livePolicies,
  mapPolicies,
  type PartsOutline,
  type Samplers,
  type TrainingParts,
} from "./parts.ts";
import { problemSource } from "./problem-source.ts";
import type { LoopState, Models } from "./run/checkpoint.ts";
import type { Recorder } from "./run/recorder.ts";
import { laneSettings, lanesOf, moveBudget, takeLane, type Lane, type LaneResult } from "./stages/lane.ts";
import { measurementOf } from "./stages/measurement.ts";
import { rolloutPipeline, type SampledStep } from "./stages/pipeline.ts";
import { rollout } from "./stages/rollout.ts";
import { score } from "./stages/score.ts";
import { scoringFailure, scoringReport } from "./stages/scoring-failure.ts";
import { stepMetrics } from "./stages/step-metrics.ts";
import { checkTreeTask, treeRollout } from "./stages/tree-rollout.ts";
import { withVerdicts } from "./verdicts.ts";
import { configWarnings, stepWarnings } from "./warnings.ts";

export interface TrainResult {
  readonly before: Evaluation;
  readonly after: Evaluation;
  /** Steps done in all; fewer than configured when interrupted or stopped early. */
  readonly steps: number;
  readonly interrupted: boolean;
  /** Evaluations stopped getting better; the best is that of `bestStep`. */
  readonly stoppedEarly: boolean;
  readonly bestStep: number;
}

/**
 * Agent-GSPO, Algorithm 1, for one policy or several that learn from the same episodes. Continues from the recorder's last
 * checkpoint when there is one. An abort signal ends the run after the step in progress, or the last one under the same
 * old policy.
 *
 * @throws LaconicError `input_invalid` for parts that do not fit together, `config_invalid` for settings that do not fit
 * them, `scoring_failed` when too few samples of a step or an evaluation got a score (a checkpoint is saved before), and what
 * models and the recorder throw.
 */
export async function train(
  given: TrainingParts,
  config: TrainConfig,
  recorder: Recorder,
  signal?: AbortSignal,
): Promise<TrainResult> {
  const parts: TrainingParts = { ...given, task: withVerdicts(given.task, config.scoring) };
  checkTrainingParts(parts);
  checkTreeTask(parts, config);
  const { task, policies } = parts;
  const lanes = lanesOf(parts, config);
  const models: Models = mapPolicies(policies, ({ model }) => model);
  const controller = config.budget && dualController(config.budget);
  const random = randomFromSeed(config.seed);
  const problemsOf = problemSource(task, config, random);
  for (const lane of lanes) for (const warning of configWarnings(lane.config)) await recorder.warn(warning);

  // Before a checkpoint replaces the first weights.
  const references = await snapshotsOf(lanes.filter((lane) => lane.config.objective.kl));
  const resumed = await recorder.restore(models);
  if (resumed && resumed.step > config.steps)
    throw new LaconicError(
      "config_invalid",
      `steps: the run has done ${resumed.step} already, more than ${config.steps}`,
      {
        key: "steps",
      },
    );
  let budget = resumed?.budget ?? controller?.init() ?? null;
  let policyBudgets = resumed?.policyBudgets ?? firstBudgets(lanes);
  let step = resumed?.step ?? 0;
  let snapshots: Readonly<Record<string, PolicySnapshot>> | null = null; // π_old, when it outlives a step
  const before = resumed?.before ?? (await assess(parts, config, recorder, 0));
  let after = resumed?.after ?? before;
  let best: LoopState["best"] = resumed?.best ?? { step: 0, accuracy: before.accuracy, since: 0 };
  const sample = async (at: number, samplers: Samplers): Promise<Omit<SampledStep, "lag">> => {
    const stream = random.split(`step:${at}`);
    const own = [samplers, problemsOf(at, stream), stream.split("rollout")] as const;
    if (!config.tree) return { rollouts: await rollout(parts, config, ...own), credits: undefined };
    return treeRollout(parts, config, config.tree, ...own);
  };
  const { asynchronous } = config;
  const pipeline = asynchronous && rolloutPipeline(config, asynchronous.maxLag, () => snapshotsOf(lanes), sample);
  const isRefreshDue = (): boolean => step % config.refreshOldPolicyEvery === 0;
  const isStopping = (): boolean => signal?.aborted === true && isRefreshDue();
  const isStale = (): boolean => config.earlyStopping !== null && best.since >= config.earlyStopping.patience;

  /** Keeps what was learned when samples get no scores. The old policy is not stored: between its refreshes nothing is. */
  const savedBefore = async (error: unknown): Promise<unknown> => {
    const isScoring = LaconicError.is(error) && error.code === "scoring_failed";
    if (isScoring && step > 0 && isRefreshDue())
      await recorder.checkpoint(models, { step, budget, policyBudgets, before, after, best });
    return error;
  };
  // The run ended at its last evaluation.
  if (resumed?.step === config.steps && after.step < step) {
    after = await assess(parts, config, recorder, step);
    await recorder.checkpoint(models, { step, budget, policyBudgets, before, after, best });
  }

  while (step < config.steps && !isStopping() && !isStale()) {
    const clock = recorder.clock();
    const stream = random.split(`step:${step}`);
    const tokenPrice = budget?.price ?? config.prices.tokens ?? 0; // λ_tok
    if (config.refreshOldPolicyEvery > 1) snapshots ??= await snapshotsOf(lanes);
    const oldPolicies: Samplers = snapshots ?? livePolicies(parts); // live ones are old until the first optimiser step

    // Lines 3-6: queries, G episodes each under the old policies, rewards by Eq. 1.
    const { rollouts, credits, lag } = pipeline
      ? await pipeline.take(step)
      : { ...(await sample(step, oldPolicies)), lag: 0 };
    clock.lap("rollout");
    const scoring = scoringReport(credits?.scores ?? rollouts.map((each) => each.score));
    const unscored = scoringFailure(scoring, config.scoring, `step ${step + 1}`);
    if (unscored) throw await savedBefore(unscored);
    if (scoring.reason !== null)
      await recorder.warn(
        "some samples got no score and teach nothing (scoring/undecided, scoring/invalid, scoring/error)",
      );
    const scored = score(rollouts, task.grader, config, tokenPrice);

    // Lines 7-10, each policy on its own: advantages by Eq. 2; ratios and objective by Eq. 3-4.
    const results: LaneResult[] = [];
    for (const lane of lanes) {
      const { name } = lane;
      const facts = { scored, grader: task.grader, teamPrice: tokenPrice, budget: policyBudgets[name] ?? null, step };
      const old = { oldPolicy: oldPolicies[name] ?? lane.policy.model, reference: references[name] ?? null };
      const label = lanes.length === 1 ? "minibatches" : `minibatches/${name}`;
      const own = { random: stream.split(label), credits, lag, lap: (phase: string) => clock.lap(phase) };
      results.push(await takeLane(lane, { ...facts, ...old, ...own }));
    }
    step += 1;

    // Line 11: refresh the old policies. Line 12: move λ by Eq. 5.
    if (isRefreshDue()) {
      await disposeAll(snapshots);
      snapshots = null;
    }
    const moved = controller && budget && controller.step(budget, measurementOf(scored));
    budget = moved?.state ?? null;
    policyBudgets = movedBudgets(results, policyBudgets);

    // Traces: warnings, metrics, evaluation with transcripts, checkpoint.
    for (const { lane, scored: own, gap } of results)
      for (const warning of stepWarnings(lane.config, own, gap)) await recorder.warn(warning);
    const evaluations = credits?.evaluations;
    const control = moved?.diagnostics ?? null;
    await recorder.step(
      stepMetrics({
        step,
        config,
        scored,
        evaluations,
        scoring: scoring.counts,
        lag,
        lanes: results,
        tokenPrice,
        budget: control,
      }),
      clock,
    );
    const isLast = step === config.steps;
    let isBest = false;
    if (isLast || isDue(step, config.evaluation.every)) {
      await recorder.rollouts(step, scored.slice(0, config.evaluation.transcripts));
      const last = after;
      after = await assess(parts, config, recorder, step).catch(async (error: unknown) => {
        throw await savedBefore(error);
      });
      const decline = declineOf(before, after);
      if (decline !== null && declineOf(before, last) === null) await recorder.warn(`at step ${step} ${decline}`);
      isBest = after.accuracy > best.accuracy + (config.earlyStopping?.minGain ?? 0);
      best = isBest ? { step, accuracy: after.accuracy, since: 0 } : { ...best, since: best.since + 1 };
    }
    const keepsBest = isBest && config.earlyStopping !== null && isRefreshDue();
    if (isLast || isStopping() || isStale() || keepsBest || isDue(step, config.checkpoint.every))
      await recorder.checkpoint(models, { step, budget, policyBudgets, before, after, best });
  }
  await pipeline?.close();
  await disposeAll(snapshots);
  await disposeAll(references);
  if (step === 0) await recorder.checkpoint(models, { step, budget, policyBudgets, before, after, best }); // stopped before the first step
  const stoppedEarly = step < config.steps && isStale();
  return {
    before,
    after,
    steps: step,
    interrupted: step < config.steps && !stoppedEarly,
    stoppedEarly,
    bestStep: best.step,
  };
}

/**
 * Refuses what {@link train} would, before anything is created. It needs no weights, and problems only where they are at hand.
 * @throws LaconicError `input_invalid` for parts that do not fit together, `config_invalid` for settings that do not fit
 * them.
 */
export function checkTraining(parts: PartsOutline, config: TrainConfig): void {
  checkTrainingParts(parts);
  checkTreeTask(parts, config);
  laneSettings(Object.keys(parts.policies), config);
  const { name, problems, pool } = parts.task;
  if (problems) problemSource({ name, problems, ...(pool && { pool }) }, config, randomFromSeed(config.seed));
}

/** Never when `every` is 0. */
function isDue(step: number, every: number): boolean {
  return every > 0 && step % every === 0;
}

async function snapshotsOf(lanes: readonly Lane[]): Promise<Record<string, PolicySnapshot>> {
  const snapshots: Record<string, PolicySnapshot> = {};
  for (const { name, policy } of lanes) snapshots[name] = await policy.model.snapshot();
  return snapshots;
}

async function disposeAll(snapshots: Readonly<Record<string, PolicySnapshot>> | null): Promise<void> {
  for (const snapshot of Object.values(snapshots ?? {})) await snapshot.dispose();
}

function firstBudgets(lanes: readonly Lane[]): LoopState["policyBudgets"] {
  return Object.fromEntries(lanes.flatMap(({ name, controller }) => (controller ? [[name, controller.init()]] : [])));
}

function movedBudgets(results: readonly LaneResult[], budgets: LoopState["policyBudgets"]): LoopState["policyBudgets"] {
  return Object.fromEntries(
    results.flatMap((result) => {
      const budget = moveBudget(result, budgets[result.lane.name] ?? null);
      return budget ? [[result.lane.name, budget]] : [];
    }),
  );
}

/** Held-out accuracy and tokens of the live policies, with transcripts of the first problems. */
async function assess(
  parts: TrainingParts,
  config: TrainConfig,
  recorder: Recorder,
  step: number,
): Promise<Evaluation> {
  const { problems, transcripts } = config.evaluation;
  const { seed, sampling, limits, onAgentError: onError, scoring } = config;
  const options = { seed, step, problems, sampling, limits, onError, scoring };
  const { evaluation, episodes } = await evaluate(parts, livePolicies(parts), options);
  await recorder.evaluation(evaluation, episodes.slice(0, transcripts));
  return evaluation;
}
