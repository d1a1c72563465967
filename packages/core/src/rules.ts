import type { Problem } from "./problem.ts";
import type { Random } from "./numeric/random.ts";

/**
 * Pure setting that changes over a run.
 * @param step - from 0, of `steps`
 */
export type Schedule = (step: number, steps: number) => number;

/** Evaluation. */
export interface EvaluationPoint {
  readonly step: number;
  /** Mean grade, 0 to 1. */
  readonly accuracy: number;
  readonly tokens: number;
  readonly measures?: Readonly<Record<string, number>>;
}

/**
 * Pure; whether to end the run, asked after each evaluation.
 * @param evaluations - all so far, the initial first
 */
export type StoppingRule = (evaluations: readonly EvaluationPoint[]) => boolean;

/** Results of a problem. */
export interface ProblemResult {
  readonly plays: number;
  readonly mean: number;
  readonly last: number;
  /** Last step, from 0. */
  readonly lastStep: number;
}

/** State of a run without weights. */
export interface Learned {
  readonly step: number;
  readonly budgets: Readonly<Record<string, { readonly price: number }>>;
  readonly policyBudgets: Readonly<Record<string, { readonly price: number }>>;
  readonly estimators: Readonly<Record<string, unknown>>;
  readonly results?: Readonly<Record<string, ProblemResult>>;
  /** Past selves have a step. */
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
  /** Equal after a resume. */
  readonly random: Random;
}

/** Chooses each step's problems, possibly repeated. Pure: only `random` is drawn from. */
export type Curriculum = (request: CurriculumRequest) => readonly Problem[];

/** Opponent in a pool, as input of matchmaking. */
export interface PoolMember {
  /** `step-20` for the run's weights after 20 steps, else another run's name. */
  readonly name: string;
  /** Null for another run. */
  readonly step: number | null;
  readonly games: number;
  /** Share won, 0 to 1; draws count half. 0.5 without games. */
  readonly winRate: number;
}

/** Input of matchmaking. */
export interface MatchRequest {
  /** From 0. */
  readonly step: number;
  /** The oldest first, then other runs. */
  readonly pool: readonly PoolMember[];
  /** Equal after a resume. */
  readonly random: Random;
}

/** Name of a game's opponent. Pure: only `random` is drawn from. */
export type Matchmaking = (request: MatchRequest) => string;
