import { randomFromSeed, type Random } from "@laconic/core";
import { describe, expect, test } from "vitest";
import {
  isWorthExpanding,
  jointReplies,
  jointTreeAdvantages,
  type JointAction,
  type JointNode,
  type ReplyCredit,
} from "../index.ts";

const rounded = (credits: readonly ReplyCredit[]): readonly (readonly [string, number, number, number, number])[] =>
  credits.map((credit) => [
    credit.path.join("."),
    credit.agent,
    credit.reply,
    Number(credit.return.toFixed(9)),
    Number(credit.advantage.toFixed(9)),
  ]);

describe("trees worked by hand: two agents, two replies, two turns, gamma 0.9", () => {
  test("aligned", () => {
    const leaf = (...rewards: readonly [number, number]): JointNode => ({
      actions: rewards.map((reward, g) => ({ replies: [g, g], reward })),
    });
    const root: JointNode = {
      actions: [
        { replies: [0, 0], reward: 1, next: leaf(2, 4) },
        { replies: [1, 1], reward: 0, next: leaf(1, 0) },
      ],
    };
    // 1 + 0.9 * 3 = 3.7; 0 + 0.9 * 0.5 = 0.45; their mean is 2.075.
    expect(rounded(jointTreeAdvantages(root))).toEqual([
      ["", 0, 0, 3.7, 1.625],
      ["", 0, 1, 0.45, -1.625],
      ["", 1, 0, 3.7, 1.625],
      ["", 1, 1, 0.45, -1.625],
      ["0", 0, 0, 2, -1],
      ["0", 0, 1, 4, 1],
      ["0", 1, 0, 2, -1],
      ["0", 1, 1, 4, 1],
      ["1", 0, 0, 1, 0.5],
      ["1", 0, 1, 0, -0.5],
      ["1", 1, 0, 1, 0.5],
      ["1", 1, 1, 0, -0.5],
    ]);
  });
  test("cross: a reply has the mean over the joint actions that hold it", () => {
    const leaf = (a: number, b: number, c: number, d: number): JointNode => ({
      actions: jointReplies(2, 2, "cross").map((replies, i) => ({ replies, reward: [a, b, c, d][i] as number })),
    });
    const root: JointNode = {
      actions: [
        { replies: [0, 0], reward: 1, next: leaf(0, 0, 0, 4) },
        { replies: [0, 1], reward: 2 },
        { replies: [1, 0], reward: 0 },
        { replies: [1, 1], reward: 1 },
      ],
    };
    // The first returns 1 + 0.9 * 1 = 1.9; the mean of 1.9, 2, 0, 1 is 1.225.
    expect(rounded(jointTreeAdvantages(root))).toEqual([
      ["", 0, 0, 1.95, 0.725],
      ["", 0, 1, 0.5, -0.725],
      ["", 1, 0, 0.95, -0.275],
      ["", 1, 1, 1.5, 0.275],
      ["0", 0, 0, 0, -1],
      ["0", 0, 1, 2, 1],
      ["0", 1, 0, 0, -1],
      ["0", 1, 1, 2, 1],
    ]);
  });
});

/** Every path from a node down, with its discounted reward: a return is their mean, each turn's siblings weighing alike. */
function returnByPaths({ reward, next }: JointAction, gamma: number): number {
  const paths: { sum: number; weight: number }[] = [];
  const walk = (node: JointNode, sum: number, weight: number, discount: number): void => {
    for (const action of node.actions) {
      const now = sum + discount * action.reward;
      const share = weight / node.actions.length;
      if (action.next) walk(action.next, now, share, discount * gamma);
      else paths.push({ sum: now, weight: share });
    }
  };
  if (!next) return reward;
  walk(next, reward, 1, gamma);
  return paths.reduce((total, path) => total + path.sum * path.weight, 0);
}

function randomTree(random: Random, agents: number, mode: "aligned" | "cross", depth: number): JointNode {
  return {
    actions: jointReplies(agents, 2 + random.integer(2), mode).map((replies) => ({
      replies,
      reward: random.normal(),
      next: depth > 1 && random.uniform() < 0.7 ? randomTree(random, agents, mode, depth - 1) : null,
    })),
  };
}

test.for(Array.from({ length: 40 }, (_, seed) => seed))(
  "random tree %i: returns are means over paths, advantages of a node sum to zero",
  (seed) => {
    const random = randomFromSeed(seed);
    const [agents, mode] = [1 + random.integer(3), random.pick(["aligned", "cross"] as const)];
    const root = randomTree(random, agents, mode, 3);
    const gamma = random.uniform();
    const credits = jointTreeAdvantages(root, gamma);
    const nodeAt = (path: readonly number[]): JointNode =>
      path.reduce((node, i) => node.actions[i]?.next as JointNode, root);
    for (const { path, agent, reply, return: value } of credits) {
      const holding = nodeAt(path).actions.filter(({ replies }) => replies[agent] === reply);
      const expected = holding.reduce((sum, action) => sum + returnByPaths(action, gamma), 0) / holding.length;
      expect(value).toBeCloseTo(expected, 10);
    }
    const sums = new Map<string, number>();
    for (const { path, agent, advantage } of credits) {
      const key = `${path.join(".")}/${agent}`;
      sums.set(key, (sums.get(key) ?? 0) + advantage);
    }
    for (const sum of sums.values()) expect(sum).toBeCloseTo(0, 10);
  },
);

test("joint actions: aligned are G, cross are G to the N", () => {
  expect(jointReplies(3, 2, "aligned")).toEqual([
    [0, 0, 0],
    [1, 1, 1],
  ]);
  expect(jointReplies(2, 2, "cross")).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
  expect(jointReplies(3, 4, "cross")).toHaveLength(64);
});

test("a branch stops when its siblings are good already", () => {
  const node: JointNode = {
    actions: [
      { replies: [0], reward: 3 },
      { replies: [1], reward: 4 },
    ],
  };
  expect([isWorthExpanding(node, 3.4), isWorthExpanding(node, 3.5), isWorthExpanding(node, null)]).toEqual([
    false,
    true,
    true,
  ]);
});

test.for([
  [{ actions: [] }, 0.9, /needs actions/u],
  [
    {
      actions: [
        { replies: [0, 0], reward: 1 },
        { replies: [1], reward: 1 },
      ],
    },
    0.9,
    /the root: action 1 needs a reply of each of 2 agents/u,
  ],
  [{ actions: [{ replies: [0], reward: Number.NaN }] }, 0.9, /action 0 has the reward NaN/u],
  [{ actions: [{ replies: [0], reward: 1, next: { actions: [] } }] }, 0.9, /the node behind 0: has no action/u],
  [{ actions: [{ replies: [0], reward: 1 }] }, 1.5, /gamma is 1.5/u],
] as const)("%j is refused", ([tree, gamma, reason]) => {
  expect(() => jointTreeAdvantages(tree as JointNode, gamma)).toThrow(reason);
});
