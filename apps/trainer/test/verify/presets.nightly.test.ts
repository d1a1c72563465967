import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, laconic } from "../laconic.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { VerifyReport } from "@laconic/verify";

/** Two steps of a few episodes: every optimizer step, price and advantage is there, and one step follows from another. */
const short = cli`train.steps=2 train.problemsPerStep=2 train.episodesPerProblem=3 train.evaluation.problems=2
  train.evaluation.every=2 train.checkpoint.every=2`;

/** Trains into a folder and verifies it. @returns names of what is not covered */
async function uncoveredOf(words: readonly string[]): Promise<readonly string[]> {
  const run = join(await temporaryFolder(), "run");
  const trained = await laconic("train", ...words, "--run", run);
  expect([trained.code, trained.code === 0 ? "" : trained.err]).toEqual([0, ""]);
  const { code, out } = await laconic("verify", run, "--json");
  const report = JSON.parse(out) as VerifyReport;
  expect([code, report.contradictions]).toEqual([3, []]);
  return report.notCovered.map(({ name }) => name).filter((name) => !always.has(name));
}

/** What no run can be held to by its folder alone. */
const always = new Set(["metrics", "settings", "weights", "files"]);

test.each([
  ["the quickstart", ["preset:relay-quickstart"], []],
  ["policies of their own", ["preset:relay-quickstart", "policies=own"], []],
  ["a hint for a frozen actor", ["preset:relay-hint"], []],
  ["a comment for a frozen actor", ["preset:relay-critic"], []],
  ["the actor itself", ["preset:relay-actor"], []],
  ["two policies in a tree", ["preset:relay-writers"], ["figures of evaluations", 'train.groupBy "tree-node"']],
  [
    "two turns of feedback",
    ["preset:relay-feedback"],
    ["drawing of problems", "evaluation problems", "grades", 'train.groupBy "tree-node"'],
  ],
  [
    "rollouts ahead of the optimizer",
    ["preset:relay-hint", "train.oldLogProbs=recompute", 'train.asynchronous={"maxLag":2,"importanceCap":2}'],
    ["drawing of training problems", expect.stringMatching(/^train\.asynchronous/u)],
  ],
])("%s: a run agrees as far as covered", async (_, words, uncovered) => {
  expect((await uncoveredOf([...words, ...short])).toSorted()).toEqual(uncovered);
});

const stories = join(process.env["LACONIC_DATA"] ?? "", "stories260k");
const hasStories = process.env["LACONIC_DATA"] !== undefined && existsSync(stories);

test.skipIf(!hasStories)("story tellers: a run agrees as far as covered", async () => {
  const smaller = ["warmStart=null", "train.episodesPerProblem=2", "train.minibatches=1"];
  const uncovered = await uncoveredOf(["preset:story-tellers", `model=${stories}`, ...short, ...smaller]);
  expect(uncovered).toContain("text of tokens");
  expect(uncovered.filter((name) => name.startsWith("train."))).toEqual([]);
});
