import type { AgentId, Episode, Problem } from "@laconic/core";
import type { RewardOutcome } from "@laconic/rewards";
import type { Turn } from "@laconic/topologies";

/** An episode of a step, the problem it is about, and what became of its reward. */
export interface Rollout {
  readonly episode: Episode;
  /** Null where an agent's error left nothing to judge. */
  readonly score: RewardOutcome | null;
  readonly problem: Problem;
  /** Position of the problem among those of the step. */
  readonly group: number;
  /** The same episode with one agent silent, the same random numbers for the others; with `credit: difference` only. */
  readonly without?: Readonly<Record<AgentId, Pick<Rollout, "episode" | "score">>>;
  /** The problem's greedy episode, which is not trained on; where an estimator asks for it. */
  readonly greedy?: Pick<Rollout, "episode" | "score">;
}

export interface RolloutTree {
  readonly problem: Problem;
  readonly agents: readonly AgentId[];
  readonly tree: Tree;
}

export interface TreeAction {
  readonly replies: readonly number[];
  /** The play so far, this reply included. */
  readonly played: Pick<Rollout, "episode" | "score">;
  /** Its round: what was said before has been paid for. */
  readonly round: number;
  readonly next: TreeNode | null;
}

export interface TreeNode {
  readonly actions: readonly TreeAction[];
}

export interface Tree {
  readonly node: TreeNode;
  /** By place: the path to the node, the agent, the reply. */
  readonly replies: ReadonlyMap<string, Turn>;
  readonly paths: readonly Pick<Rollout, "episode" | "score">[];
}
