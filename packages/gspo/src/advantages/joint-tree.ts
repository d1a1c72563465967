import { inputError, maxReward } from "@laconic/core";
import { checkChoice } from "../check-option.ts";
import { mean } from "./groups.ts";

/** Joint history with several replies per agent. */
export interface JointNode {
  /** One joint action per reply (`aligned`) or combination (`cross`). */
  readonly actions: readonly JointAction[];
}

/** One reply per agent. */
export interface JointAction {
  readonly replies: readonly number[];
  readonly reward: number;
  /** Missing or null for a leaf or a stopped branch. */
  readonly next?: JointNode | null;
}

/** Return and advantage of a reply. */
export interface ReplyCredit {
  /** Action indices from the root. */
  readonly path: readonly number[];
  readonly agent: number;
  readonly reply: number;
  readonly return: number;
  readonly advantage: number;
}

/**
 * MAGRPO's credit ("LLM Collaboration with Multi-Agent RL"): an action returns its reward plus the discounted mean of
 * the following returns. The team's advantage is the return minus the sibling mean. A reply in several joint actions
 * gets their mean return; the released library sums them.
 * @param gamma - discount between turns; 0.9 in the paper's multi-turn runs
 * @throws LaconicError `input_invalid` for inconsistent agents, replies or rewards
 */
export function jointTreeAdvantages(root: JointNode, gamma = 0.9): ReplyCredit[] {
  if (!(gamma >= 0 && gamma <= 1)) throw inputError(`gamma is ${gamma}, expected 0 to 1`, { gamma });
  const agents = root.actions[0]?.replies.length ?? 0;
  if (agents === 0) throw inputError("a tree needs actions with a reply of every agent");
  const credits: ReplyCredit[] = [];
  returnsOf(root, gamma, agents, [], credits);
  return credits;
}

function returnsOf(
  node: JointNode,
  gamma: number,
  agents: number,
  path: readonly number[],
  credits: ReplyCredit[],
): number[] {
  const location = path.length === 0 ? "the root" : `the node behind ${path.join(", ")}`;
  const refuse = (reason: string): never => {
    throw inputError(`${location}: ${reason}`, { path: path.join(",") });
  };
  if (node.actions.length === 0) refuse("has no action");
  const replyCredits: ReplyCredit[] = [];
  const later: ReplyCredit[] = [];
  const returns = node.actions.map(({ replies, reward, next }, position) => {
    if (replies.length !== agents || !replies.every((reply) => Number.isInteger(reply) && reply >= 0))
      refuse(`action ${position} needs a reply of each of ${agents} agents`);
    if (!(Math.abs(reward) <= maxReward))
      refuse(`action ${position} has the reward ${reward}, expected one within ±${maxReward}`);
    if (!next) return reward;
    return reward + gamma * mean(returnsOf(next, gamma, agents, [...path, position], later));
  });
  const baseline = mean(returns);
  for (let agent = 0; agent < agents; agent++) {
    const byReply = new Map<number, number[]>();
    node.actions.forEach(({ replies }, position) => {
      const reply = replies[agent]!;
      byReply.set(reply, [...(byReply.get(reply) ?? []), returns[position]!]);
    });
    for (const [reply, values] of [...byReply].toSorted(([a], [b]) => a - b))
      replyCredits.push({ path, agent, reply, return: mean(values), advantage: mean(values) - baseline });
  }
  credits.push(...replyCredits, ...later);
  return returns;
}

/**
 * Joint actions of `count` replies per agent: the g-th replies together, or all combinations.
 * @throws LaconicError `config_invalid`
 */
export function jointReplies(agents: number, count: number, mode: "aligned" | "cross"): number[][] {
  checkChoice("joint replies: mode", mode, ["aligned", "cross"]);
  if (mode === "aligned") return Array.from({ length: count }, (_, g) => Array.from({ length: agents }, () => g));
  const combinations = count ** agents;
  return Array.from({ length: combinations }, (_, i) =>
    Array.from({ length: agents }, (__, agent) => Math.floor(i / count ** (agents - 1 - agent)) % count),
  );
}

/** Expands a node whose mean immediate reward is at most the threshold. */
export function isWorthExpanding({ actions }: JointNode, threshold: number | null): boolean {
  return threshold === null || mean(actions.map(({ reward }) => reward)) <= threshold;
}
