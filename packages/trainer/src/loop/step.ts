import { watchForDeadTraining } from "../dead-training.ts";
import type { Prices, ScoreCounts } from "@laconic/rewards";
import { type LoopState, learnedOf } from "../run/loop-state.ts";
import type { StepClock } from "../run/recorder.ts";
import { type LearnerResult, learn, moveBudget, needsReference, pricingOf } from "../stages/learner.ts";
import { policyPrefix, stepMetrics } from "../step-metrics.ts";
import { budgetWarning, stepWarnings } from "../warnings.ts";
import type { Collected, Collector } from "./collect.ts";
import { samplingAt, type TrainingRun } from "./training-run.ts";
import type { ProblemResult } from "@laconic/core";
import { type ScoredRollout, score } from "../stages/score.ts";
import { agentErrorWarning } from "../agent-errors.ts";
import type { Samplers } from "../spec/parts.ts";
import { gamesOf, withGames } from "../opponents/games.ts";
import { policySamplers } from "../stages/old-log-probs.ts";
import type { PriceDiagnostics } from "../spec/price-controllers.ts";
import { scoringFailure, scoringReport } from "../stages/scoring-failure.ts";
import { checkpointOnFailure } from "./save.ts";

export interface ScoredStep {
  readonly scored: readonly ScoredRollout[];
  readonly scoring: ScoreCounts;
}

/**
 * Line 6: rewards by Eq. 1.
 * @throws LaconicError `scoring_failed` if too few samples have a score, after a checkpoint
 */
export async function scoreCollected(
  run: TrainingRun,
  state: LoopState,
  collected: Collected,
  prices: Prices,
  { turn }: Pick<Collector, "turn">,
): Promise<ScoredStep> {
  const { config, costs, recorder, scoreGroups } = run;
  const place = `step ${state.step + 1}`;
  const rollouts = scoreGroups ? await scoreGroups(collected.rollouts, place, learnedOf(state)) : collected.rollouts;
  const scores = scoreGroups ? rollouts.map(({ score: each }) => each) : collected.scores;
  const report = scoringReport(scores);
  await checkpointOnFailure(run, state, async () => {
    const failure = scoringFailure(report, config.scoring, place);
    if (failure) throw failure;
  });
  if (report.reason !== null)
    await recorder.warn(
      "some samples got no score and teach nothing (scoring/undecided, scoring/invalid, scoring/error)",
      state.step + 1,
    );
  const lost = agentErrorWarning(rollouts.map(({ episode }) => episode));
  if (lost !== null) await recorder.warn(lost, state.step + 1);
  await turn();
  const scored = score(rollouts, pricingOf({ config, costs }, prices));
  await turn();
  return { scored, scoring: report.counts };
}

export interface LearningStep extends Pick<Collected, "trees" | "lags"> {
  readonly scored: readonly ScoredRollout[];
  readonly prices: Prices;
  readonly oldPolicies: Samplers;
}

/** Lines 7-10 for each policy: advantages by Eq. 2; ratios and objective by Eq. 3-4. */
export async function learnAll(
  run: TrainingRun,
  { step, policyBudgets, estimators }: LoopState,
  { scored, prices, trees, lags, oldPolicies }: LearningStep,
  clock: StepClock,
  { turn }: Pick<Collector, "turn">,
): Promise<LearnerResult[]> {
  const { parts, config, learners, references, random } = run;
  const stream = random.split(`step:${step}`);
  const { temperature } = samplingAt(run, step);
  const samplerOf = policySamplers(parts, { first: references, old: oldPolicies });
  const results: LearnerResult[] = [];
  for (const learner of learners) {
    const { name } = learner;
    results.push(
      await learn(learner, {
        scored,
        trees,
        step,
        turn,
        teamPrices: prices,
        lag: Math.max(0, ...lags),
        budget: policyBudgets[name] ?? null,
        estimatorState: estimators[name],
        oldPolicy: oldPolicies[name] ?? learner.policy.model,
        reference: config.evaluation.language || needsReference(learner) ? (references[name] ?? null) : null,
        samplerOf,
        temperature,
        random: stream.split(learners.length === 1 ? "minibatches" : `minibatches/${name}`),
        lap: (phase) => clock.lap(phase),
      }),
    );
  }
  return results;
}

export interface Moved {
  readonly state: LoopState;
  readonly budgets: Readonly<Record<string, PriceDiagnostics>>;
}

/** Line 12: updates λ by Eq. 5 for the team and policies with budgets. */
export function moveBudgets(
  { budget, config, parts }: TrainingRun,
  state: LoopState,
  scored: readonly ScoredRollout[],
  results: readonly LearnerResult[],
): Moved {
  const { states, diagnostics } = budget.step(state.budgets, scored);
  return {
    budgets: diagnostics,
    state: {
      ...state,
      step: state.step + 1,
      ...(state.results && { results: withResults(state.results, scored, state.step) }),
      ...(state.opponents && { opponents: withGames(state.opponents, gamesOf(scored, config, parts)) }),
      budgets: states,
      policyBudgets: byPolicy(
        results.map((each) => [each.learner.name, moveBudget(each, state.policyBudgets[each.learner.name] ?? null)]),
      ),
      estimators: byPolicy(results.map(({ learner, batch }) => [learner.name, batch.estimatorState])),
    },
  };
}

export async function withPastSelf({ pool }: TrainingRun, moved: Moved): Promise<Moved> {
  const { state } = moved;
  if (!pool || !state.opponents) return moved;
  return { ...moved, state: { ...state, opponents: await pool.grow(state.opponents, state.step) } };
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
  const grades = new Map<string, number[]>();
  for (const { problem, measured } of scored)
    if (!Number.isNaN(measured.task)) grades.set(problem.id, [...(grades.get(problem.id) ?? []), measured.task]);
  const found: Record<string, ProblemResult> = { ...results };
  for (const [id, own] of grades) {
    const last = own.reduce((sum, grade) => sum + grade, 0) / own.length;
    const before = Object.hasOwn(results, id) ? results[id] : undefined;
    const plays = (before?.plays ?? 0) + 1;
    const mean = (before?.mean ?? 0) + (last - (before?.mean ?? 0)) / plays;
    found[id] = { plays, mean, last, lastStep: step };
  }
  return found;
}

export interface DoneStep extends ScoredStep, Moved {
  readonly collected: Collected;
  readonly learners: readonly LearnerResult[];
  readonly prices: Prices;
}

export async function trace(
  run: TrainingRun,
  { state: moved, collected, scored, scoring, learners, prices, budgets }: DoneStep,
  clock: StepClock,
  { report, turn }: Pick<Collector, "report" | "turn">,
): Promise<LoopState> {
  const { recorder, config } = run;
  const { trees, scores, lags } = collected;
  const { step } = moved;
  for (const { learner, scored: own, gap } of learners)
    for (const warning of stepWarnings(learner.config, own, gap)) await recorder.warn(warning, step);
  const unkept = budgetWarning(config, scored);
  if (unkept !== null) await recorder.warn(unkept, step);
  const queue = report();
  const lag = lags.length === 0 ? 0 : lags;
  await recorder.record?.({
    step,
    ...(typeof config.sampling.temperature !== "number" && samplingAt(run, step - 1)),
    scored,
    trees,
    scoring,
    lag,
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
    opponents: moved.opponents ?? null,
  });
  await recorder.step(metrics, clock);
  const replies = learners.flatMap(({ learner, batch }) => {
    const spoken = batch.utterances.filter(({ silent }) => !silent);
    const cut = spoken.filter(({ finishReason }) => finishReason === "length").length;
    return Object.entries({ spoken: spoken.length, cut }).map(
      ([name, count]) => [`${policyPrefix(learners, learner)}replies/${name}`, count] as const,
    );
  });
  const signs = moved.deadTraining ?? {};
  const watched = watchForDeadTraining(signs, { ...metrics, ...Object.fromEntries(replies) }, config);
  for (const warning of watched.warnings) await recorder.warn(warning, step);
  await turn();
  if (queue) await recorder.dropped(step, queue.dropped);
  return { ...moved, deadTraining: watched.signs, ...(queue && { queue: queue.state }) };
}
