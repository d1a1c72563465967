import type { Problem } from "./problem.ts";
import type { Random } from "./numeric/random.ts";

/** Setting that changes over a run, such as a learning rate. Pure. @param step - from 0, of `steps` */
export type Schedule = (step: number, steps: number) => number;

/** Evaluation as input of rules. */
export interface EvaluationPoint {
  readonly step: number;
  /** Mean grade of the test problems, 0 to 1. */
  readonly accuracy: number;
  readonly tokens: number;
  readonly measures?: Readonly<Record<string, number>>;
}

/** Whether to end the run, asked after each evaluation. Pure. @param evaluations - all so far, the initial first */
export type StoppingRule = (evaluations: readonly EvaluationPoint[]) => boolean;

/** Training results of a problem. */
export interface ProblemResult {
  readonly plays: number;
  /** Mean grades of all episodes, and of the last step's. */
  readonly mean: number;
  readonly last: number;
  /** Last step, from 0. */
  readonly lastStep: number;
}

/** State of a run without weights, as plain data for checkpoints. */
export interface Learned {
  readonly step: number;
  /** Price controllers of the team, by cost. */
  readonly budgets: Readonly<Record<string, { readonly price: number }>>;
  /** Price controllers of policies, by policy. */
  readonly policyBudgets: Readonly<Record<string, { readonly price: number }>>;
  /** Estimator states, by policy. */
  readonly estimators: Readonly<Record<string, unknown>>;
  /** Results of training problems by id, for a curriculum. */
  readonly results?: Readonly<Record<string, ProblemResult>>;
  /** Pool of opponents; past selves have a step. */
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
  readonly results: Readonly<Record<string, ProblemResult>>;
  readonly learned: Learned;
  /** Random stream of the step, equal after a resume. */
  readonly random: Random;
}

/** Chooses each step's problems, possibly repeated. Pure: only `random` is drawn from. */
export type Curriculum = (request: CurriculumRequest) => readonly Problem[];

/** Opponent in a pool, as input of matchmaking. */
export interface PoolMember {
  /** `step-20` for the run's weights after 20 steps, else another run's name. */
  readonly name: string;
  /** Steps of a past self; null for another run. */
  readonly step: number | null;
  readonly games: number;
  /** Share of games that the learner won, 0 to 1; draws count half. 0.5 without games. */
  readonly winRate: number;
}

/** Input of matchmaking. */
export interface MatchRequest {
  /** From 0. */
  readonly step: number;
  /** Past selves, the oldest first, then other runs. */
  readonly pool: readonly PoolMember[];
  /** Random stream of the game, equal after a resume. */
  readonly random: Random;
}

/** Returns the name of a game's opponent. Pure: only `random` is drawn from. */
export type Matchmaking = (request: MatchRequest) => string;
