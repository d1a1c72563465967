import type { ProblemResult } from "@laconic/core";
import { grouped, meanOf } from "@laconic/core/numeric";
import { agentErrorWarning } from "../agent-errors.ts";
import { scoringFailure, scoringReport } from "../stages/scoring-failure.ts";
import { watchForDeadTraining } from "../dead-training.ts";
import { gamesOf, withGames } from "../opponents/games.ts";
import { type LoopState, learnedOf } from "../run/loop-state.ts";
import type { StepClock } from "../run/recorder.ts";
import type { PriceDiagnostics } from "../spec/price-controllers.ts";
import { type LearnerResult, moveBudget, pricingOf, type StepBatch } from "../stages/learner.ts";
import type { TakenGroups } from "../stages/group-rollout.ts";
import { type ScoredRollout, score } from "../stages/score.ts";
import { policyPrefix, stepMetrics, type Metrics } from "../step-metrics.ts";
import { budgetWarning, stepWarnings } from "../warnings.ts";
import type { Collector } from "./collect.ts";
import { checkpointOnFailure, samplingAt, type TrainingRun } from "./training-run.ts";

export interface SampledStep extends TakenGroups, Pick<StepBatch, "prices" | "oldPolicies"> {
  readonly clock: StepClock;
}

/**
 * Line 6: rewards by Eq. 1.
 * @throws LaconicError `scoring_failed` if too few samples have a score, after a checkpoint
 */
export async function scoreStep(
  run: TrainingRun,
  state: LoopState,
  sampled: SampledStep,
): Promise<StepBatch & SampledStep> {
  const { config, costs, recorder, random, scoreGroups, turn } = run;
  const step = state.step + 1;
  const location = `step ${step}`;
  const rollouts = scoreGroups ? await scoreGroups(sampled.rollouts, location, learnedOf(state)) : sampled.rollouts;
  const scores = scoreGroups ? rollouts.map(({ score: rewardOutcome }) => rewardOutcome) : sampled.scores;
  const report = scoringReport(scores);
  await checkpointOnFailure(run, state, async () => {
    const failure = scoringFailure(report, config.scoring, location);
    if (failure) throw failure;
  });
  if (report.reason !== null)
    await recorder.warn(
      "some samples have no score and are not trained on (scoring/undecided, scoring/invalid, scoring/error)",
      step,
    );
  const lost = agentErrorWarning(rollouts.map(({ episode }) => episode));
  if (lost !== null) await recorder.warn(lost, step);
  await turn();
  const scored = score(rollouts, pricingOf({ config, costs }, sampled.prices));
  await turn();
  const { temperature } = samplingAt(run, state.step);
  return { ...sampled, scored, scoring: report.counts, temperature, random: random.split(`step:${state.step}`) };
}

export interface Moved {
  readonly state: LoopState;
  readonly budgets: Readonly<Record<string, PriceDiagnostics>>;
}

/** Line 12: updates λ by Eq. 5 for the team and policies with budgets; then results of problems and opponents. */
export async function moveState(
  { budget, config, parts, pool }: TrainingRun,
  state: LoopState,
  { scored }: Pick<StepBatch, "scored">,
  results: readonly LearnerResult[],
): Promise<Moved> {
  const { states, diagnostics } = budget.step(state.budgets, scored);
  const step = state.step + 1;
  const opponents = state.opponents && withGames(state.opponents, gamesOf(scored, config, parts));
  const moved: LoopState = {
    ...state,
    step,
    ...(state.results && { results: withResults(state.results, scored, state.step) }),
    budgets: states,
    policyBudgets: byPolicy(
      results.map((result) => [
        result.learner.name,
        moveBudget(result, state.policyBudgets[result.learner.name] ?? null),
      ]),
    ),
    estimators: byPolicy(results.map(({ learner, batch }) => [learner.name, batch.estimatorState])),
  };
  if (!opponents) return { state: moved, budgets: diagnostics };
  return { state: { ...moved, opponents: pool ? await pool.grow(opponents, step) : opponents }, budgets: diagnostics };
}

export function byPolicy<T>(
  entries: readonly (readonly [name: string, value: T | null | undefined])[],
): Record<string, T> {
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value] as const])),
  );
}

type Results = Readonly<Record<string, ProblemResult>>;

/** Adds the mean grade of each problem, without ungraded episodes. @param step - from 0 */
export function withResults(
  results: Results,
  scored: readonly Pick<ScoredRollout, "problem" | "measured">[],
  step: number,
): Results {
  const graded = scored.filter(({ measured }) => !Number.isNaN(measured.task));
  const match: Record<string, ProblemResult> = { ...results };
  for (const played of grouped(graded, ({ problem }) => problem.id)) {
    const { id } = played[0].problem;
    const last = meanOf(played.map(({ measured }) => measured.task)) ?? 0;
    const before = Object.hasOwn(results, id) ? results[id] : undefined;
    const plays = (before?.plays ?? 0) + 1;
    const mean = (before?.mean ?? 0) + (last - (before?.mean ?? 0)) / plays;
    match[id] = { plays, mean, last, lastStep: step };
  }
  return match;
}

/** Records a step's metrics, inputs and warnings. @returns the state with what the next step needs of them */
export async function traceStep(
  run: TrainingRun,
  { state, budgets }: Moved,
  batch: StepBatch & SampledStep,
  learners: readonly LearnerResult[],
  { report }: Pick<Collector, "report">,
): Promise<LoopState> {
  const { recorder, config, turn } = run;
  const { trees, scores, lags, scored, scoring, prices, clock } = batch;
  const { step } = state;
  for (const { learner, scored: scoredRollouts, gap } of learners)
    for (const warning of stepWarnings(learner.config, scoredRollouts, gap)) await recorder.warn(warning, step);
  const unkept = budgetWarning(config, scored);
  if (unkept !== null) await recorder.warn(unkept, step);
  const queue = report();
  await recorder.record?.({
    step,
    ...(typeof config.sampling.temperature !== "number" && samplingAt(run, step - 1)),
    scored,
    trees,
    scoring,
    lag: lags.length === 0 ? 0 : lags,
    learners,
    prices,
  });
  await turn();
  const metrics = stepMetrics({
    step,
    config,
    scored,
    scoring,
    learners,
    budgets,
    lags,
    queue,
    evaluations: trees && scores.length,
    tokenPrice: prices["tokens"] ?? 0,
    opponents: state.opponents ?? null,
  });
  await recorder.step(metrics, clock);
  const watched = watchForDeadTraining(state.deadTraining ?? {}, { ...metrics, ...replyCounts(learners) }, config);
  for (const warning of watched.warnings) await recorder.warn(warning, step);
  await turn();
  if (queue) await recorder.dropped(step, queue.dropped);
  return { ...state, deadTraining: watched.signs, ...(queue && { queue: queue.state }) };
}

function replyCounts(learners: readonly LearnerResult[]): Metrics {
  const counts: Metrics = {};
  for (const { learner, batch } of learners) {
    const spoken = batch.utterances.filter(({ silent }) => !silent);
    const prefix = `${policyPrefix(learners, learner)}replies/`;
    counts[`${prefix}spoken`] = spoken.length;
    counts[`${prefix}cut`] = spoken.filter(({ finishReason }) => finishReason === "length").length;
  }
  return counts;
}
