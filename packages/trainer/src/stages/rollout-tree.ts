import type { AgentId, Problem } from "@laconic/core";
import type { Turn } from "@laconic/topologies";
import type { Rollout } from "./rollout.ts";

/** One problem's tree. */
export interface RolloutTree {
  readonly problem: Problem;
  readonly agents: readonly AgentId[];
  readonly tree: Tree;
}

/** A joint reply that was judged. */
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

/** A tree with what was said in it. */
export interface Tree {
  readonly node: TreeNode;
  /** By place: the path to the node, the agent, the reply. */
  readonly replies: ReadonlyMap<string, Turn>;
  readonly paths: readonly Pick<Rollout, "episode" | "score">[];
}
