import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { laconic } from "../laconic.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { AuditReport } from "@laconic/audit";

/** Two steps of a few episodes: every optimiser step, price and advantage is there, and one step follows from another. */
const short = [
  "train.steps=2",
  "train.problemsPerStep=2",
  "train.episodesPerProblem=3",
  "train.evaluation.problems=2",
  "train.evaluation.every=2",
  "train.checkpoint.every=2",
];

/** Trains into a folder and audits it. */
async function audited(words: readonly string[], run: string, flags: readonly string[] = []): Promise<AuditReport> {
  const trained = await laconic("train", ...words, "--run", run);
  expect([trained.code, trained.code === 0 ? "" : trained.err]).toEqual([0, ""]);
  const { code, out } = await laconic("audit", run, "--json", ...flags);
  const report = JSON.parse(out) as AuditReport;
  expect(code).toBe(report.agrees ? 0 : 1);
  return report;
}

test.each([
  ["the quickstart", ["preset:relay-quickstart"]],
  ["a hint for a frozen actor", ["preset:relay-hint"]],
  ["a comment for a frozen actor", ["preset:relay-critic"]],
  ["the actor itself", ["preset:relay-actor"]],
  ["two policies in a tree", ["preset:relay-writers"]],
  ["two turns of feedback", ["preset:relay-feedback"]],
] as const)("%s: a run agrees with its folder", async (_, words) => {
  const report = await audited([...words, ...short], join(await temporaryFolder(), "run"));
  expect(report.differences).toEqual([]);
  expect(report).toMatchObject({ agrees: true, steps: [1, 2], complete: true, weights: ["plain JavaScript, float64"] });
  for (const stage of ["episode", "grade", "reward", "price", "batch", "advantage", "log-prob", "loss"] as const)
    expect([stage, report.compared[stage]]).toEqual([stage, expect.any(Number)]);
  expect(report.compared["weights"]).toBeGreaterThan(0);
});

test("rollouts ahead of the optimiser, from weights of earlier steps", async () => {
  const words = ["preset:relay-hint", ...short, "train.oldLogProbs=recompute", "train.steps=4"];
  const ahead = 'train.asynchronous={"maxLag":2,"importanceCap":2}';
  const report = await audited([...words, ahead], join(await temporaryFolder(), "run"));
  expect(report.differences).toEqual([]);
  expect(report.compared["weights"]).toBeGreaterThan(0);
});

const stories = join(process.env["LACONIC_DATA"] ?? "", "stories260k");
const hasStories = process.env["LACONIC_DATA"] !== undefined && existsSync(stories);

/** The story worlds: those of presets, and their tasks with the same training. */
test.skipIf(!hasStories).each([
  ["a hint", ["preset:story-hint"]],
  ["the actor itself", ["preset:story-actor"]],
  ["tellers", ["preset:story-hint", 'task={"name":"story-tellers"}']],
  ["one teller", ["preset:story-hint", 'task={"name":"story-relay"}']],
  ["a budget in the prompt", ["preset:story-hint", 'task={"name":"story-budget"}']],
] as const)("stories, %s: a run agrees with its folder", async (_, words) => {
  const smaller = ["train.episodesPerProblem=2", "train.minibatches=1"];
  const report = await audited(
    [...words, `model=${stories}`, ...short, ...smaller],
    join(await temporaryFolder(), "run"),
  );
  expect(report.differences).toEqual([]);
  expect(report.compared["grade"]).toBeGreaterThan(0);
  expect(report.compared["weights"]).toBeGreaterThan(0);
});
