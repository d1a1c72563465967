import type { Problem } from "./problem.ts";
import type { Random } from "./numeric/random.ts";

/** A setting that moves over a run, such as a learning rate. Pure. @param step - from 0, of `steps` in all */
export type Schedule = (step: number, steps: number) => number;

/** An evaluation as rules see it. */
export interface EvaluationPoint {
  readonly step: number;
  /** Mean grade of the test problems, 0 to 1. */
  readonly accuracy: number;
  /** Mean tokens per episode. */
  readonly tokens: number;
  readonly measures?: Readonly<Record<string, number>>;
}

/** Whether a run ends, after each evaluation. Pure. @param evaluations - all so far, the initial one first */
export type StoppingRule = (evaluations: readonly EvaluationPoint[]) => boolean;

/** Training results of a problem. */
export interface ProblemResult {
  readonly plays: number;
  /** Mean grade of all episodes, and of those of the last step. */
  readonly mean: number;
  readonly last: number;
  /** Its last step, from 0. */
  readonly lastStep: number;
}

/** State of a run apart from weights: plain data, stored in checkpoints. */
export interface Learned {
  /** Steps done. */
  readonly step: number;
  /** States of the team's price controllers, by cost. */
  readonly budgets: Readonly<Record<string, { readonly price: number }>>;
  /** Price controllers of policies, by policy. */
  readonly policyBudgets: Readonly<Record<string, { readonly price: number }>>;
  /** States of the estimators, by policy. */
  readonly estimators: Readonly<Record<string, unknown>>;
  /** Results of training problems by id, for a curriculum. */
  readonly results?: Readonly<Record<string, ProblemResult>>;
  /** The pool of opponents; a past self has its step. */
  readonly opponents?: readonly {
    readonly name: string;
    readonly step: number | null;
    readonly games: number;
    readonly points: number;
  }[];
}

export interface CurriculumRequest {
  /** From 0. */
  readonly step: number;
  readonly count: number;
  readonly pool: readonly Problem[];
  /** Results of problems played so far, by id. */
  readonly results: Readonly<Record<string, ProblemResult>>;
  readonly learned: Learned;
  /** Random stream of the step, the same after a resume. */
  readonly random: Random;
}

/** Chooses the problems of each step. Pure: it draws from `random` alone. Repetitions are allowed. */
export type Curriculum = (request: CurriculumRequest) => readonly Problem[];

/** An opponent of a pool, as matchmaking sees it. */
export interface PoolMember {
  /** `step-20` for the run's weights after 20 steps, else the name of another run. */
  readonly name: string;
  /** Steps behind a past self; null for another run. */
  readonly step: number | null;
  /** Games against it so far. */
  readonly games: number;
  /** Share of games that the learner won, 0 to 1; a draw counts half. 0.5 without games. */
  readonly winRate: number;
}

/** What matchmaking chooses from. */
export interface MatchRequest {
  /** From 0. */
  readonly step: number;
  /** Past selves from the oldest, then other runs. */
  readonly pool: readonly PoolMember[];
  /** Random stream of the game, the same after a resume. */
  readonly random: Random;
}

/** Chooses the opponent of a game by name. Pure: it draws from `random` alone. */
export type Matchmaking = (request: MatchRequest) => string;
