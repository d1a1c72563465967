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

/** Says whether a run is to end, after each evaluation. Pure. @param evaluations - all so far, that before the first step first */
export type StoppingRule = (evaluations: readonly EvaluationPoint[]) => boolean;

/** What training has shown of a problem. */
export interface ProblemResult {
  /** Steps that it was played in. */
  readonly plays: number;
  /** Mean grade of all its episodes so far, and of those of its last step. */
  readonly mean: number;
  readonly last: number;
  /** Its last step, from 0. */
  readonly lastStep: number;
}

/** What a run has learned apart from its weights: plain data, stored in each checkpoint. */
export interface Learned {
  /** Steps done. */
  readonly step: number;
  /** States of the team's price controllers, by cost. */
  readonly budgets: Readonly<Record<string, { readonly price: number }>>;
  /** Those of the policies that have one of their own, by policy. */
  readonly policyBudgets: Readonly<Record<string, { readonly price: number }>>;
  /** States of the estimators, by policy. */
  readonly estimators: Readonly<Record<string, unknown>>;
  /** Results of each training problem, by its id, where a curriculum chooses by them. */
  readonly results?: Readonly<Record<string, ProblemResult>>;
  /** The pool of opponents, where the team plays against one; a past self has its step. */
  readonly opponents?: readonly {
    readonly name: string;
    readonly step: number | null;
    readonly games: number;
    readonly points: number;
  }[];
}

/** What a curriculum chooses from. */
export interface CurriculumRequest {
  /** From 0. */
  readonly step: number;
  /** Problems to choose. */
  readonly count: number;
  readonly pool: readonly Problem[];
  /** By problem id; without those that no step has played. */
  readonly results: Readonly<Record<string, ProblemResult>>;
  /** All that the run has learned so far, `results` included. */
  readonly learned: Learned;
  /** Random stream of the step, the same after a resume. */
  readonly random: Random;
}

/** Chooses the problems of each step from the results so far. Pure: it draws from `random` alone. One may be chosen more than once. */
export type Curriculum = (request: CurriculumRequest) => readonly Problem[];

/** An opponent of a pool, as matchmaking sees it. */
export interface PoolMember {
  /** `step-20` for the run's own weights after 20 steps, else the name of another run. */
  readonly name: string;
  /** Steps behind a past self; null for another run. */
  readonly step: number | null;
  /** Games against it so far. */
  readonly games: number;
  /** Share of them that who learns won, 0 to 1; a draw counts half. 0.5 before the first. */
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

/** Chooses the opponent of a game by its name. Pure: it draws from `random` alone. */
export type Matchmaking = (request: MatchRequest) => string;
