import type { AgentId, Episode, Problem } from "@laconic/core";
import type { RewardOutcome } from "@laconic/rewards";
import type { EpisodeChange, Turn } from "@laconic/topologies";
import type { CreditPlan } from "./settings/credit.ts";

export interface Played {
  readonly episode: Episode;
  /** Null after an agent's error. */
  readonly score: RewardOutcome | null;
}

export interface Replay extends Played {
  readonly change: EpisodeChange;
}

export interface Rollout extends Played {
  readonly problem: Problem;
  /** Problem index in the step. */
  readonly group: number;
  /** Missing if all messages share the reward. */
  readonly plan?: CreditPlan;
  /** Replays of the plan's changes. */
  readonly replays?: readonly Replay[];
  /** The problem's greedy episode, not trained on; only if an estimator needs it. */
  readonly greedy?: Played;
}

export interface RolloutTree {
  readonly problem: Problem;
  readonly agents: readonly AgentId[];
  readonly tree: Tree;
}

export interface TreeAction {
  readonly replies: readonly number[];
  /** Episode so far, including this reply. */
  readonly played: Played;
  /** Round of the reply; earlier rounds have been paid for. */
  readonly round: number;
  readonly next: TreeNode | null;
}

export interface TreeNode {
  readonly actions: readonly TreeAction[];
}

export interface Tree {
  readonly node: TreeNode;
  /** Turns by path, agent and reply. */
  readonly replies: ReadonlyMap<string, Turn>;
  readonly paths: readonly Played[];
}
