import type { Episode } from "./episode/episode.ts";
import type { Learned } from "./rules.ts";
import type { ModelResources } from "./engine.ts";
import type { AgentId, Problem } from "./problem.ts";

/** Signed contributions by name; their sum is the reward. Costs are negative. */
export type RewardTerms = Readonly<Record<string, number>>;

/** What an episode earned, before any cost is charged. */
export interface EpisodeReward {
  /** Shared by all agents. A term called `task` is a grade, 0 to 1. */
  readonly team: RewardTerms;
  /** Of single agents, added to the team's: opposite interests, shaping by role. */
  readonly agents?: Readonly<Record<AgentId, RewardTerms>>;
  /**
   * Of single utterances, by their turn, added to what their episode and agent earned: a step's own reward, such as a tool call that
   * worked. Needs groups that tell agents apart.
   */
  readonly turns?: Readonly<Record<number, RewardTerms>>;
  /** What accuracy is the mean of, 0 to 1. Default: the team's `task`, else the sum of the team's terms. */
  readonly score?: number;
  /**
   * Measures by name, such as the parts of a term. They are not part of the reward; the metrics have their means. NaN if not applicable.
   */
  readonly measures?: Readonly<Record<string, number>>;
}

/** What a reward gets with episode and problem. */
export interface RewardContext {
  /** Aborted when the reward is no longer needed. */
  readonly signal: AbortSignal;
  /** Of the run whose episode it is; absent outside of runs. */
  readonly learned?: Learned;
}

/**
 * Terms of the team, the same with terms by agent and turn, or why the machine kept the reward from a verdict. A number alone is the
 * grade `task`; true counts 1.
 */
export type RewardResult =
  | number
  | boolean
  | Readonly<Record<string, number | boolean>>
  | EpisodeReward
  | { readonly undecided: string };

/**
 * Judges a finished episode; it may take its time (a model that judges, a sandbox). It measures what was achieved: what words
 * cost is measured and priced apart.
 */
export interface Reward {
  (episode: Episode, problem: Problem, context: RewardContext): RewardResult | Promise<RewardResult>;
  /** Gives the reward itself once the run has an engine; until then it cannot judge. Absent for one that is ready. */
  readonly open?: (resources: ModelResources) => Promise<Reward>;
}

/**
 * Judges all episodes of a problem at once: a ranking, what is new among them. Gives one result for each, in their order, whose
 * terms are added to those of the episode's own reward. Training alone asks it: an evaluation has one episode of each problem.
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
