import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { randomFromSeed, type Random } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { jointReplies, jointTreeAdvantages, type JointNode, type ReplyCredit } from "../src/index.ts";

const python = process.env["LACONIC_PYTHON"];

/** A tree of random rewards in which some branches have ended. */
function randomTree(
  random: Random,
  agents: number,
  count: number,
  mode: "aligned" | "cross",
  depth: number,
): JointNode {
  return {
    actions: jointReplies(agents, count, mode).map((replies) => ({
      replies,
      reward: random.normal(),
      next: depth > 1 && random.uniform() < 0.8 ? randomTree(random, agents, count, mode, depth - 1) : null,
    })),
  };
}

describe.skipIf(python === undefined)("credit over trees, beside Python's sum over paths (LACONIC_PYTHON)", () => {
  test("100 random trees: aligned and cross, one to three agents, one to three turns", () => {
    const random = randomFromSeed("trees");
    const trees = Array.from({ length: 100 }, (_, i) => ({
      tree: randomTree(random, 1 + (i % 3), 2 + (i % 2), i % 2 ? "aligned" : "cross", 1 + (i % 3)),
      gamma: [0, 0.5, 0.9, 1][i % 4] as number,
    }));
    const { stdout, stderr } = spawnSync(python as string, [join(import.meta.dirname, "joint_tree.py")], {
      input: JSON.stringify(trees),
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    expect(stderr).toBe("");
    const theirs = JSON.parse(stdout) as ReplyCredit[][];
    const keyOf = ({ path, agent, reply }: ReplyCredit): string => `${path.join("/")}|${agent}|${reply}`;
    trees.forEach(({ tree, gamma }, i) => {
      const own = new Map(jointTreeAdvantages(tree, gamma).map((each) => [keyOf(each), each]));
      const other = theirs[i] ?? [];
      expect(other.length).toBe(own.size);
      for (const each of other) {
        expect(own.get(keyOf(each))?.return).toBeCloseTo(each.return, 10);
        expect(own.get(keyOf(each))?.advantage).toBeCloseTo(each.advantage, 10);
      }
    });
  });
});
