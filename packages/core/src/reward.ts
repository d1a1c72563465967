import type { Episode } from "./episode/episode.ts";
import type { Learned } from "./rules.ts";
import type { ModelResources } from "./engine.ts";
import type { AgentId, Problem } from "./problem.ts";

/** Signed terms by name, which sum to the reward. */
export type RewardTerms = Readonly<Record<string, number>>;

/** Reward of an episode before costs. */
export interface EpisodeReward {
  /** A term called `task` is a grade, 0 to 1. */
  readonly team: RewardTerms;
  /** Added to the team's. */
  readonly agents?: Readonly<Record<AgentId, RewardTerms>>;
  /** Added to the others; needs groups that separate agents. */
  readonly turns?: Readonly<Record<number, RewardTerms>>;
  /** Grade for accuracy, 0 to 1. Default: the team's `task`, else the sum of its terms. */
  readonly score?: number;
  /** Used for metrics only; NaN if not applicable. */
  readonly measures?: Readonly<Record<string, number>>;
}

/** Context of a reward. */
export interface RewardContext {
  readonly signal: AbortSignal;
  /** Missing outside of runs. */
  readonly learned?: Learned;
}

/** Terms, or why the machine failed. A number or boolean is `task`. */
export type RewardResult =
  | number
  | boolean
  | Readonly<Record<string, number | boolean>>
  | EpisodeReward
  | { readonly undecided: string };

/** Judges a finished episode. Costs are measured and priced separately. */
export interface Reward {
  (episode: Episode, problem: Problem, context: RewardContext): RewardResult | Promise<RewardResult>;
  /** Missing if it is ready. */
  readonly open?: (resources: ModelResources) => Promise<Reward>;
}

/**
 * Judges all episodes of a problem together, in training only. Its terms are added to those of the episode's reward.
 */
export type GroupReward = (
  episodes: readonly Episode[],
  problem: Problem,
  context: RewardContext,
) => readonly RewardResult[] | Promise<readonly RewardResult[]>;

/** Grades an answer: 1 correct, 0 wrong, or partial credit. */
export type Grader = (answer: string | null, problem: Problem) => number;

/** Larger values would overflow the sums of squares in advantages. */
export const maxReward = 1e100;
