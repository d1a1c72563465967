import type { Episode } from "./episode.ts";
import type { Problem } from "./problem.ts";

/** Signed contributions by name; their sum is the reward. Costs are negative. */
export type RewardTerms = Readonly<Record<string, number>>;

/** Scores a finished episode. Terms are logged apart and summed last. */
export type RewardFunction = (episode: Episode, problem: Problem) => RewardTerms;

/** Decides whether an answer is right: 1, 0, or partial credit between. */
export type Grader = (answer: string | null, problem: Problem) => number;

/** Rewards and costs beyond ± this are refused: sums and squares of them, which advantages need, would overflow. */
export const maxReward = 1e100;
