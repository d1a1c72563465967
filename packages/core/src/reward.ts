import type { Episode } from "./episode/episode.ts";
import type { Learned } from "./rules.ts";
import type { ModelResources } from "./engine.ts";
import type { AgentId, Problem } from "./problem.ts";

/** Signed terms by name; their sum is the reward. Costs are negative. */
export type RewardTerms = Readonly<Record<string, number>>;

/** Reward of an episode before costs. */
export interface EpisodeReward {
  /** Shared by all agents. A term called `task` is a grade, 0 to 1. */
  readonly team: RewardTerms;
  /** Terms of agents, added to the team's. */
  readonly agents?: Readonly<Record<AgentId, RewardTerms>>;
  /** Terms by turn, added to those of episode and agent, such as for a successful tool call. Needs groups that separate agents. */
  readonly turns?: Readonly<Record<number, RewardTerms>>;
  /** Grade for accuracy, 0 to 1. Default: the team's `task`, else the sum of the team's terms. */
  readonly score?: number;
  /** Measures by name, not part of the reward; metrics report their means. NaN if not applicable. */
  readonly measures?: Readonly<Record<string, number>>;
}

/** What a reward gets with episode and problem. */
export interface RewardContext {
  /** Aborted when the reward is no longer needed. */
  readonly signal: AbortSignal;
  /** Absent outside of runs. */
  readonly learned?: Learned;
}

/** Terms of the team, or with terms by agent and turn, or why the machine prevented a verdict. A number or boolean alone is `task`. */
export type RewardResult =
  | number
  | boolean
  | Readonly<Record<string, number | boolean>>
  | EpisodeReward
  | { readonly undecided: string };

/** Judges a finished episode, possibly asynchronously. Costs are measured and priced separately. */
export interface Reward {
  (episode: Episode, problem: Problem, context: RewardContext): RewardResult | Promise<RewardResult>;
  /** Returns the reward once the run has an engine; before that it cannot judge. Absent if it is ready. */
  readonly open?: (resources: ModelResources) => Promise<Reward>;
}

/**
 * Judges all episodes of a problem together, such as by rank or novelty: one result per episode, whose terms are added to those
 * of its own reward. Only training uses it.
 */
export type GroupReward = (
  episodes: readonly Episode[],
  problem: Problem,
  context: RewardContext,
) => readonly RewardResult[] | Promise<readonly RewardResult[]>;

/** Decides whether an answer is right: 1, 0, or partial credit between. */
export type Grader = (answer: string | null, problem: Problem) => number;

/** Rewards and costs beyond ± this are refused: sums and squares of them, which advantages need, would overflow. */
export const maxReward = 1e100;
