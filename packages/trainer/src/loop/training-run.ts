import { LaconicError, randomFromSeed, mapValues } from "@laconic/core";
import type { LaconicErrorCode, PolicySnapshot, PolicyNeed, Random, Reward, Sampling } from "@laconic/core";
import type { Timer } from "@laconic/rewards";
import { livePolicies, type Samplers } from "../spec/parts.ts";
import { policyNeedsOf, type Learner } from "../spec/learning.ts";
import type { RunSpec } from "../spec/run-spec.ts";
import { problemSource, type ProblemSource } from "../spec/problem-source.ts";
import { nextTurn } from "../queue/paced.ts";
import { OpponentPool } from "../opponents/opponent-pool.ts";
import { criticsOf, withLearned } from "../learned.ts";
import type { Models } from "../run/checkpoint.ts";
import { learnedOf, type LoopState } from "../run/loop-state.ts";
import type { Recorder } from "../run/recorder.ts";
import { groupScorer, rewardOf, scorer, type GroupScorer, type Scorer } from "../scorer.ts";
import { needsReference } from "../stages/learner.ts";
import { TeamBudgets } from "../stages/team-budgets.ts";
import { configWarnings } from "../warnings.ts";
import type { TrainConfig } from "../settings/config.ts";

export interface TrainingRun extends RunSpec {
  readonly recorder: Recorder;
  readonly signal: AbortSignal | undefined;
  readonly timer: Timer;
  /** Yields to the event loop (asynchronous runs only). */
  readonly turn: () => Promise<void>;
  readonly models: Models;
  /** Policies before the first step. */
  readonly references: Readonly<Record<string, PolicySnapshot>>;
  readonly budget: TeamBudgets;
  readonly random: Random;
  readonly schedule: Schedule;
  readonly score: Scorer;
  readonly scoreGroups: GroupScorer | null;
  readonly problemsOf: ProblemSource;
  readonly pool: OpponentPool | null;
}

/** Creates the learners, warns of known traps, and freezes the references before a checkpoint replaces the weights. */
export async function openTrainingRun(
  spec: RunSpec,
  { recorder, signal, timer }: Pick<TrainingRun, "recorder" | "signal" | "timer">,
): Promise<TrainingRun> {
  const { parts, config, learners, groupReward, curriculum } = spec;
  const { source, task, policies } = parts;
  const judge = source && !config.reward ? judgedElsewhere : rewardOf(task);
  const score = scorer(judge, config.scoring, task.topology.agents);
  const random = randomFromSeed(config.seed);
  const problemsOf = problemSource(task, config, random, curriculum);
  const models = { ...mapValues(policies, ({ model }) => model), ...criticsOf(learners) };
  for (const learner of learners) for (const warning of configWarnings(learner)) await recorder.warn(warning);
  const references = await snapshotsOf(
    learners.filter(
      (learner) => config.evaluation.language || needsReference(learner) || isNeededAt(learners, learner, "first"),
    ),
  );
  return {
    ...spec,
    recorder,
    signal,
    timer,
    turn: config.asynchronous && !source ? () => nextTurn(timer) : async () => undefined,
    models,
    references,
    random,
    score,
    scoreGroups: groupReward ? groupScorer(groupReward, config.scoring, task.topology.agents) : null,
    problemsOf,
    pool: config.opponents ? new OpponentPool(spec, config.opponents, recorder) : null,
    budget: new TeamBudgets(spec.budgets, config.prices),
    schedule: new Schedule(config, signal),
  };
}

export function learnedParts({ parts, score }: TrainingRun, state: LoopState): Pick<TrainingRun, "parts" | "score"> {
  const learned = learnedOf(state);
  return { parts: withLearned(parts, learned), score: (episode, problem) => score(episode, problem, learned) };
}

export function samplingAt({ config, temperature }: RunSpec, step: number): Sampling {
  return { ...config.sampling, temperature: temperature(step, config.steps) };
}

function isNeededAt(learners: readonly Learner[], { name }: Learner, path: PolicyNeed["at"]): boolean {
  const needs = policyNeedsOf(learners.map(({ objective }) => objective));
  return needs.some((need) => need.policy === name && need.at === path);
}

export async function snapshotsOf(learners: readonly Learner[]): Promise<Record<string, PolicySnapshot>> {
  const snapshots: Record<string, PolicySnapshot> = {};
  for (const { name, policy } of learners) snapshots[name] = await policy.model.snapshot();
  return snapshots;
}

export async function disposeAll(snapshots: Readonly<Record<string, PolicySnapshot>> | null): Promise<void> {
  for (const snapshot of Object.values(snapshots ?? {})) await snapshot.dispose();
}

const judgedElsewhere: Reward = () => ({ undecided: "episodes come with their rewards" });

/**
 * π_old: samples episodes and is the denominator of ratios. Weights are frozen if they outlive a step or its first
 * update; else they are live until the first optimizer step.
 */
export class OldPolicies {
  readonly #run: TrainingRun;
  #snapshots: Readonly<Record<string, PolicySnapshot>> | null = null;

  constructor(run: TrainingRun) {
    this.#run = run;
  }

  async samplers(): Promise<Samplers> {
    const { parts, config, learners } = this.#run;
    if (config.refreshOldPolicyEvery === 1 && !learners.some((learner) => isNeededAt(learners, learner, "old")))
      return livePolicies(parts);
    this.#snapshots ??= await snapshotsOf(learners);
    return this.#snapshots;
  }

  /** Line 11: drops snapshots if the next step has newer weights. @param step - steps done */
  async refresh(step: number): Promise<void> {
    if (this.#run.schedule.isRefreshDue(step)) await this.dispose();
  }

  async dispose(): Promise<void> {
    await disposeAll(this.#snapshots);
    this.#snapshots = null;
  }
}

/** Errors after which a run can be resumed. */
const ends: readonly LaconicErrorCode[] = ["scoring_failed", "budget_refused"];

/**
 * Runs `work`; saves a checkpoint on errors that allow a resume. This is impossible between refreshes, because the old
 * policy is not stored.
 */
export async function checkpointOnFailure<T>(
  { recorder, models, schedule }: TrainingRun,
  state: LoopState,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isKnown = LaconicError.is(error) && ends.includes(error.code);
    if (isKnown && state.step > 0 && schedule.isRefreshDue(state.step)) await recorder.checkpoint(models, state);
    throw error;
  }
}

/** Saves a checkpoint at the end, unless the last step did. @param resumedAt - null for a fresh run */
export async function saveAtEnd(
  { recorder, models, schedule }: TrainingRun,
  state: LoopState,
  resumedAt: number | null,
): Promise<void> {
  const { step } = state;
  const isKept = step === 0 || step === resumedAt || schedule.isRegularCheckpoint(step);
  if (!isKept && schedule.isRefreshDue(step)) await recorder.checkpoint(models, state);
}

type ScheduleSettings = Pick<
  TrainConfig,
  "steps" | "refreshOldPolicyEvery" | "earlyStopping" | "evaluation" | "checkpoint"
>;

/** Decides when a run evaluates, saves and ends. An abort signal ends it at the next refresh of the old policy. */
class Schedule {
  readonly #settings: ScheduleSettings;
  readonly #signal: AbortSignal | undefined;

  constructor(settings: ScheduleSettings, signal: AbortSignal | undefined) {
    [this.#settings, this.#signal] = [settings, signal];
  }

  goesOn(state: LoopState): boolean {
    return state.step < this.#settings.steps && !this.#isStopping(state.step) && !this.isStale(state);
  }

  isStale({ best, isStopped = false }: LoopState): boolean {
    const { earlyStopping } = this.#settings;
    const patience = earlyStopping && "patience" in earlyStopping ? earlyStopping.patience : Infinity;
    return isStopped || best.since >= patience;
  }

  /** True if the old policy is the newest, so that a checkpoint need not store it. */
  isRefreshDue(step: number): boolean {
    return step % this.#settings.refreshOldPolicyEvery === 0;
  }

  isEvaluationDue(step: number): boolean {
    const { steps, evaluation } = this.#settings;
    return step === steps || (evaluation.every > 0 && step % evaluation.every === 0);
  }

  /** @param isBest - the step's evaluation is the best so far */
  isCheckpointDue(state: LoopState, isBest: boolean): boolean {
    const { step } = state;
    const isLast = step === this.#settings.steps || this.#isStopping(step) || this.isStale(state);
    return isLast || (isBest && this.isRefreshDue(step)) || this.isRegularCheckpoint(step);
  }

  isRegularCheckpoint(step: number): boolean {
    return step % this.#settings.checkpoint.every === 0;
  }

  #isStopping(step: number): boolean {
    return this.#signal?.aborted === true && this.isRefreshDue(step);
  }
}
