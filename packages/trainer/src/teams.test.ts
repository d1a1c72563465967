import type { UnknownRecord } from "@laconic/core";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runFolder } from "../test/run-folder.ts";
import { trainTiny, type Trained } from "../test/train-tiny.ts";
import type { TrainingParts } from "./spec/parts.ts";
import { credits } from "./settings/credit.ts";
import { tinyPairParts, tinyParts, tinyRun } from "./testing/index.ts";

const run = (settings: UnknownRecord, parts: TrainingParts): Promise<Trained> =>
  trainTiny(parts, { prices: {}, ...settings });

const magrpo = {
  objective: { name: "magrpo" },
  groupBy: "tree-node",
  ratioUnit: "message",
  minibatches: 1,
  steps: 40,
  episodesPerProblem: 4,
};

test.each(["aligned", "cross"] as const)("MAGRPO, %s: two policies learn a joint grade", async (mode) => {
  const tree = { mode, gamma: 0.9, stopAbove: null };
  const { before, after, rows } = await run({ ...magrpo, tree }, tinyPairParts());
  expect(before.accuracy).toBeLessThan(0.3);
  expect(after.accuracy).toBeGreaterThan(before.accuracy + (1 - before.accuracy) / 2);
  expect(rows[0]?.["rewards/evaluations"]).toBe(6 * (mode === "aligned" ? 4 : 16));
  // Metrics are per policy; the team has none of these.
  expect(rows[0]?.["policy/first/actor/grad_norm"]).toBeGreaterThan(0);
  expect(rows[0]?.["policy/second/response_length/mean"]).toBeGreaterThan(0);
  expect(rows[0]?.["actor/grad_norm"]).toBeUndefined();
});

test("two turns: what is learned is what the feedback says", async () => {
  const tree = { mode: "aligned", gamma: 0.9, stopAbove: 0.9 };
  const { before, after } = await run({ ...magrpo, tree, steps: 60 }, tinyPairParts(2));
  expect(after.accuracy).toBeGreaterThan(before.accuracy + (1 - before.accuracy) / 2);
});

test("a policy has its own learning rate and objective", async () => {
  const parts = tinyPairParts();
  const still = { learningRate: { peak: 1e-12, warmUpSteps: 0, decay: "constant", finalFraction: 1 } };
  const policies = { first: still, second: { objective: { name: "reinforce" } } };
  const { rows } = await run({ steps: 12, policies }, parts);
  expect(rows[0]?.["policy/first/optim/lr"]).toBe(1e-12);
  expect(rows[0]?.["policy/second/optim/lr"]).toBe(0.3);
  expect(rows[0]?.["policy/first/actor/pg_clipfrac"]).toBeGreaterThanOrEqual(0);
  expect(rows[0]?.["policy/second/actor/pg_clipfrac"]).toBe(0); // no ratio, no clip
  expect(rows.at(-1)?.["policy/first/actor/entropy"]).toBeCloseTo(Math.log(11), 6); // where it began
  expect(rows.at(-1)?.["policy/second/actor/entropy"]).toBeLessThan(2);
  await expect(run({ policies: { third: still } }, parts)).rejects.toFailWith(
    "config_invalid",
    "this run has first, second",
  );
});

test("a policy with a separate budget pays for its own tokens only", async () => {
  const budget = { targetTokens: 1.2, learningRate: 0.02 };
  const { rows } = await run({ steps: 25, policies: { first: { budget } } }, tinyPairParts());
  const [start, end] = [rows[0], rows.at(-1)];
  expect(start?.["policy/first/budget/own_lambda"]).toBe(0);
  expect(end?.["policy/first/budget/own_lambda"]).toBeGreaterThan(0);
  expect(end).not.toHaveProperty("policy/second/budget/own_lambda");
  expect(end?.["policy/first/reward/own_mean"]).toBeLessThan(end?.["reward/mean"] as number);
});

test("difference rewards pay only useful agents", async () => {
  // Only the solver answers; the hint changes the answer through the solver's prompt.
  const credit = { kind: "difference" };
  const { after } = await run(
    { credit, groupBy: "prompt+agent", steps: 60, prices: { tokens: 0.02 } },
    tinyParts("star"),
  );
  expect(after.accuracy).toBeGreaterThan(0.8);
  await expect(run({ credit }, tinyParts("star"))).rejects.toFailWith("config_invalid");
});

test("a named credit and the same custom rule give equal runs", async () => {
  const settings = { groupBy: "prompt+agent", steps: 3, problemsPerStep: 2, episodesPerProblem: 4 };
  const named = await run({ ...settings, credit: { kind: "shapley" } }, tinyParts("star"));
  const parts = { ...tinyParts("star"), settings: { credit: credits.shapley(null) } };
  const own = await trainTiny(parts, { prices: {}, ...settings });
  expect(own.rows).toEqual(named.rows);
  // Of two agents, three coalitions are not the whole team.
  expect(named.rows.map((row) => row["credit/replays"])).toEqual([24, 24, 24]);
});

test("a run ends when evaluations stop improving, and keeps the best checkpoint", async () => {
  const folder = await runFolder();
  const settings = {
    steps: 60,
    evaluation: { every: 2, problems: 30, transcripts: 0 },
    checkpoint: { every: 10, keep: 2 },
    earlyStopping: { patience: 3, minGain: 0 },
  };
  const result = await tinyRun({ directory: folder, settings });
  expect(result).toMatchObject({ stoppedEarly: true, interrupted: false });
  expect(result.steps).toBeLessThan(60);
  expect(result.steps).toBe(result.bestStep + 3 * 2);
  const retained = await readdir(join(folder, "checkpoints"));
  expect(retained).toContain(`step-${String(result.bestStep).padStart(8, "0")}`);
});
