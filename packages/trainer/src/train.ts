import { LaconicError, randomFromSeed, type PolicySnapshot, type Reward } from "@laconic/core";
import { timerOf, type Timer } from "@laconic/rewards";
import { checkFit } from "./check-training.ts";
import type { TrainConfig } from "./config.ts";
import { collapseOf } from "./collapse.ts";
import { declineOf } from "./decline.ts";
import { evaluate, type Evaluation } from "./evaluate.ts";
import { livePolicies, mapPolicies, type Samplers, type TrainingParts } from "./parts.ts";
import { problemSource } from "./problem-source.ts";
import { describeNumbers } from "./queue/describe-numbers.ts";
import { nextTurn } from "./queue/paced.ts";
import { trainingQueue } from "./queue/training-queue.ts";
import type { LoopState, Models } from "./run/checkpoint.ts";
import type { Recorder } from "./run/recorder.ts";
import { rewardOf, scorer } from "./scorer.ts";
import { takeGroups } from "./stages/take-groups.ts";
import { learn, learnersOf, moveBudget, pricingOf, type Learner, type LearnerResult } from "./stages/learner.ts";
import type { SampledGroup } from "./stages/group-game.ts";
import { rollout } from "./stages/play-groups.ts";
import { scoreInTurns } from "./stages/score.ts";
import { scoringFailure, scoringReport } from "./stages/scoring-failure.ts";
import { stepMetrics } from "./stages/step-metrics.ts";
import { teamBudgets } from "./stages/team-budgets.ts";
import { configWarnings, stepWarnings } from "./warnings.ts";

/** What a run came to. */
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
 * @param timer - of asynchronous sampling; the machine's unless told
 * @throws LaconicError `input_invalid` for parts that do not fit together, `config_invalid` for settings that do not fit
 * them, `scoring_failed` when too few samples of a step or an evaluation got a score (a checkpoint is saved before), and what
 * models and the recorder throw.
 */
export async function train(
  parts: TrainingParts,
  config: TrainConfig,
  recorder: Recorder,
  signal?: AbortSignal,
  timer: Timer = timerOf(globalThis),
): Promise<TrainResult> {
  checkFit(parts, config);
  const { task, policies } = parts;
  const learners = learnersOf(parts, config);
  const [{ costs }] = learners as [Learner];
  const models: Models = mapPolicies(policies, ({ model }) => model);
  const { source } = parts;
  const scoreOf = scorer(parts.reward ?? (source ? judgedElsewhere : rewardOf(task)), config.scoring);
  const greedy = learners.some(({ estimator }) => estimator.needs?.includes("greedy"));
  const budget = teamBudgets(config);
  const random = randomFromSeed(config.seed);
  const problemsOf = problemSource(task, config, random);
  for (const learner of learners) for (const warning of configWarnings(learner.config)) await recorder.warn(warning);

  // Before a checkpoint replaces the first weights.
  const references = await snapshotsOf(
    learners.filter(({ objective }) => config.evaluation.language || objective.needs?.includes("reference")),
  );
  const resumed = await recorder.restore(models);
  checkProgress(resumed, config);
  if (!resumed) await recorder.begin?.(models);
  const before = resumed?.before ?? (await assess(parts, config, recorder, 0, references));
  let state: LoopState = resumed ?? {
    step: 0,
    budgets: budget.init(),
    policyBudgets: firstStates(learners, ({ controller }) => controller?.init()),
    estimators: firstStates(learners, ({ estimator }) => estimator.init?.()),
    before,
    after: before,
    best: { step: 0, accuracy: before.accuracy, since: 0 },
  };
  let snapshots: Readonly<Record<string, PolicySnapshot>> | null = null; // π_old, when it outlives a step
  const options = { score: scoreOf, greedy };
  const sample = (at: number, samplers: Samplers): Promise<SampledGroup> => {
    const stream = random.split(`step:${at}`);
    return rollout(parts, config, options, samplers, problemsOf(at, stream), stream.split("rollout"));
  };
  const queue =
    !source && config.asynchronous
      ? trainingQueue(parts, config, config.asynchronous, {
          ...{ options, random, timer, problemsOf, from: state.queue },
          snapshots: () => snapshotsOf(learners),
        })
      : null;
  const turn = async (): Promise<void> => (queue ? nextTurn(timer) : undefined); // nobody waits for a synchronous run
  const inFlight = describeNumbers(state.queue?.again ?? []);
  if (inFlight !== "")
    await recorder.warn(
      `groups ${inFlight} were in flight at step ${state.step}: they are played anew, under the weights of that step`,
    );
  const isRefreshDue = (): boolean => state.step % config.refreshOldPolicyEvery === 0;
  const isStopping = (): boolean => signal?.aborted === true && isRefreshDue();
  const isStale = (): boolean => config.earlyStopping !== null && state.best.since >= config.earlyStopping.patience;

  /** Keeps what was learned when samples get no scores, or a spend cap lets no more be sampled. The old policy is not stored: between its refreshes nothing is. */
  const savedBefore = async (error: unknown): Promise<unknown> => {
    const isKnown = LaconicError.is(error) && ["scoring_failed", "budget_refused"].includes(error.code);
    if (isKnown && state.step > 0 && isRefreshDue()) await recorder.checkpoint(models, state);
    return error;
  };
  // The run ended at its last evaluation.
  if (resumed?.step === config.steps && state.after.step < state.step) {
    state = { ...state, after: await assess(parts, config, recorder, state.step, references) };
    await recorder.checkpoint(models, state);
  }

  try {
    while (state.step < config.steps && !isStopping() && !isStale()) {
      const clock = recorder.clock();
      const stream = random.split(`step:${state.step}`);
      const teamPrices = budget.prices(state.budgets);
      if (config.refreshOldPolicyEvery > 1) snapshots ??= await snapshotsOf(learners);
      const oldPolicies: Samplers = snapshots ?? livePolicies(parts); // live ones are old until the first optimiser step

      // Lines 3-6: queries, G episodes each under the old policies, rewards by Eq. 1.
      const sampled = source
        ? await takeGroups(parts, source, state.step, oldPolicies, signal)
        : queue
          ? await queue.take(state.step)
          : {
              ...(await sample(state.step, oldPolicies).catch(async (error: unknown) => {
                throw await savedBefore(error);
              })),
              lags: [],
            };
      if (sampled === null) {
        const isKept = state.step === 0 || state.step === resumed?.step || isDue(state.step, config.checkpoint.every);
        if (!isKept && isRefreshDue()) await recorder.checkpoint(models, state);
        break;
      }
      const { rollouts, trees, scores, lags } = sampled;
      clock.lap("rollout");
      const scoring = scoringReport(scores);
      const unscored = scoringFailure(scoring, config.scoring, `step ${state.step + 1}`);
      if (unscored) throw await savedBefore(unscored);
      if (scoring.reason !== null)
        await recorder.warn(
          "some samples got no score and teach nothing (scoring/undecided, scoring/invalid, scoring/error)",
        );
      const scored = await scoreInTurns(rollouts, pricingOf({ config, costs }, teamPrices), turn);

      // Lines 7-10, each policy on its own: advantages by Eq. 2; ratios and objective by Eq. 3-4.
      const results: LearnerResult[] = [];
      for (const learner of learners) {
        const { name } = learner;
        results.push(
          await learn(learner, {
            ...{ scored, teamPrices, trees, lag: Math.max(0, ...lags), step: state.step },
            budget: state.policyBudgets[name] ?? null,
            estimatorState: state.estimators[name],
            oldPolicy: oldPolicies[name] ?? learner.policy.model,
            reference: references[name] ?? null,
            random: stream.split(learners.length === 1 ? "minibatches" : `minibatches/${name}`),
            lap: (phase) => clock.lap(phase),
            turn,
          }),
        );
      }

      // Line 12: move λ by Eq. 5. Line 11: refresh the old policies.
      const moved = budget.step(state.budgets, scored);
      state = {
        ...state,
        step: state.step + 1,
        budgets: moved.states,
        policyBudgets: statesOf(results, (each) => moveBudget(each, state.policyBudgets[each.learner.name] ?? null)),
        estimators: statesOf(results, ({ batch }) => batch.estimatorState),
      };
      if (isRefreshDue()) {
        await disposeAll(snapshots);
        snapshots = null;
      }

      // Traces: warnings, metrics, evaluation with transcripts, checkpoint.
      for (const { learner, scored: own, gap } of results)
        for (const warning of stepWarnings(learner.config, own, gap)) await recorder.warn(warning);
      const { step } = state;
      const report = queue && queue.report();
      if (report) state = { ...state, queue: report.state };
      const facts = {
        ...{ step, config, scored, scoring: scoring.counts, learners: results, budgets: moved.diagnostics },
        ...{ lags, queue: report },
      };
      const lag = lags.length === 0 ? 0 : lags;
      await recorder.record?.({
        step,
        scored,
        trees,
        scoring: scoring.counts,
        lag,
        learners: results,
        prices: teamPrices,
      });
      await recorder.step(
        stepMetrics({
          ...facts,
          evaluations: trees && scores.length,
          tokenPrice: teamPrices["tokens"] ?? 0,
        }),
        clock,
      );
      await turn();
      if (report) await recorder.dropped(step, report.dropped);
      const isLast = step === config.steps;
      let isBest = false;
      if (isLast || isDue(step, config.evaluation.every)) {
        await recorder.rollouts(step, scored.slice(0, config.evaluation.transcripts));
        const after = await assess(parts, config, recorder, step, references).catch(async (error: unknown) => {
          throw await savedBefore(error);
        });
        for (const said of [declineOf, collapseOf]) {
          const reason = said(before, after);
          if (reason !== null && said(before, state.after) === null) await recorder.warn(`at step ${step} ${reason}`);
        }
        isBest = after.accuracy > state.best.accuracy + (config.earlyStopping?.minGain ?? 0);
        const best = isBest
          ? { step, accuracy: after.accuracy, since: 0 }
          : { ...state.best, since: state.best.since + 1 };
        state = { ...state, after, best };
      }
      const keepsBest = isBest && config.earlyStopping !== null && isRefreshDue();
      if (isLast || isStopping() || isStale() || keepsBest || isDue(step, config.checkpoint.every))
        await recorder.checkpoint(models, state);
    }
  } finally {
    await queue?.close();
  }
  await disposeAll(snapshots);
  await disposeAll(references);
  const { step, after, best } = state;
  if (step === 0) await recorder.checkpoint(models, state); // stopped before the first step
  const stoppedEarly = step < config.steps && isStale();
  return {
    ...{ before, after, steps: step, stoppedEarly, bestStep: best.step },
    interrupted: step < config.steps && !stoppedEarly,
  };
}

/** @throws LaconicError `config_invalid` for a run that has done more than it is to do. */
function checkProgress(resumed: LoopState | null, { steps }: TrainConfig): void {
  if (resumed && resumed.step > steps)
    throw new LaconicError("config_invalid", `steps: the run has done ${resumed.step} already, more than ${steps}`, {
      key: "steps",
    });
}

/** Never when `every` is 0. */
function isDue(step: number, every: number): boolean {
  return every > 0 && step % every === 0;
}

async function snapshotsOf(learners: readonly Learner[]): Promise<Record<string, PolicySnapshot>> {
  const snapshots: Record<string, PolicySnapshot> = {};
  for (const { name, policy } of learners) snapshots[name] = await policy.model.snapshot();
  return snapshots;
}

async function disposeAll(snapshots: Readonly<Record<string, PolicySnapshot>> | null): Promise<void> {
  for (const snapshot of Object.values(snapshots ?? {})) await snapshot.dispose();
}

/** By policy, where there is something to remember. */
function firstStates<T>(learners: readonly Learner[], first: (learner: Learner) => T | undefined): Record<string, T> {
  return present(learners.map((learner) => [learner.name, first(learner)] as const));
}

function statesOf<T>(
  results: readonly LearnerResult[],
  of: (result: LearnerResult) => T | null | undefined,
): Record<string, T> {
  return present(results.map((result) => [result.learner.name, of(result)] as const));
}

function present<T>(entries: readonly (readonly [name: string, value: T | null | undefined])[]): Record<string, T> {
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value] as const])),
  );
}

/** What comes with its episodes is not asked for. */
const judgedElsewhere: Reward = () => ({ undecided: "episodes come with their rewards" });

function nothingHeldOut(step: number): Evaluation {
  return { step, problems: 0, accuracy: 0, interval: [0, 1], tokens: 0, silence: {} };
}

/** Held-out accuracy and tokens of the live policies, with transcripts of the first problems. */
async function assess(
  parts: TrainingParts,
  config: TrainConfig,
  recorder: Recorder,
  step: number,
  references: Samplers,
): Promise<Evaluation> {
  const { problems, transcripts } = config.evaluation;
  if (parts.task.heldOut.length === 0 && parts.source) return nothingHeldOut(step);
  const { seed, sampling, limits, onAgentError: onError, scoring } = config;
  const retries = config.asynchronous?.retries ?? 0;
  const options = { seed, step, problems, sampling, limits, onError, scoring, retries, references };
  const { evaluation, episodes } = await evaluate(parts, livePolicies(parts), options);
  await recorder.evaluation(evaluation, episodes, transcripts);
  return evaluation;
}
