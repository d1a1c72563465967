import { performance } from "node:perf_hooks";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { auditRun, type AuditReport } from "@laconic/audit";
import { tinyDuelParts, tinyRun } from "@laconic/trainer/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyOfRun, editJson, editLines, editStep, type Loose } from "../edited-run.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const settings = {
  seed: 5,
  steps: 6,
  problemsPerStep: 4,
  episodesPerProblem: 4,
  groupBy: "prompt+agent",
  advantage: { estimator: "group", scale: "none" },
  prices: { tokens: 0.01 },
  evaluation: { every: 0, problems: 4, transcripts: 0 },
  checkpoint: { every: 2, keep: 4 },
  opponents: {
    sides: [["left"], ["right"]],
    latest: 0.25,
    matchmaking: "even",
    every: 1,
    keep: 3,
    drop: "spread",
    against: ["pool"],
  },
};

const audit = (run: string): Promise<AuditReport> => auditRun(run, { fast: true, now: () => performance.now() });

let run = "";
beforeAll(async () => {
  run = join(await mkdtemp(join(tmpdir(), "laconic-")), "run");
  await tinyRun({ directory: run, settings, parts: tinyDuelParts() });
});
afterAll(() => rm(dirname(run), { recursive: true, force: true }));

test.each(["spread", "oldest", "beaten"])("a run with opponents agrees, past selves leave by %s", async (drop) => {
  const directory = join(await temporaryFolder(), "run");
  const own = { ...settings, steps: 5, opponents: { ...settings.opponents, drop, keep: 2 } };
  await tinyRun({ directory, settings: own, parts: tinyDuelParts("own") });
  const { differences, notAuditable, compared } = await audit(directory);
  expect(differences).toEqual([]);
  expect(compared.advantage).toBeGreaterThan(50);
  const what = notAuditable.map((each) => each.what);
  expect(what).toContain("draws of opponents");
  expect(what).toContain("evaluation's opponents");
  expect(what.filter((each) => each.startsWith("metric opponents"))).toEqual([]);
});

const played = (content: Loose): Loose => content.utterances.find((each: Loose) => each.opponent !== undefined);

test.each<[string, (copy: string) => Promise<void>, string]>([
  [
    "a word that lost its mark, which would be trained on",
    (copy) => editStep(copy, 3, (step) => delete played(step).opponent),
    "batch",
  ],
  [
    "another name in an utterance than in the ledger",
    (copy) => editStep(copy, 3, (step) => (played(step).opponent = "step-0x")),
    "episode",
  ],
  [
    "an opponent that the pool never had",
    (copy) =>
      editStep(copy, 1, (step) => {
        for (const each of step.utterances) if (each.opponent) each.opponent = each.model.id = "step-4";
        for (const { ledger } of step.episodes)
          for (const call of ledger.calls) if (call.opponent) call.opponent = "step-4";
      }),
    "episode",
  ],
  [
    "a win rate in the metrics",
    (copy) =>
      editLines(copy, "metrics.jsonl", (line) => {
        for (const name of Object.keys(line)) if (name.startsWith("opponents/win_rate")) line[name] += 0.1;
      }),
    "metric",
  ],
  [
    "results in a checkpoint",
    (copy) =>
      editJson(join(copy, "checkpoints", "step-00000004", "state.json"), (state) => (state.opponents[0].points += 1)),
    "folder",
  ],
  [
    "a price on an opponent's words",
    (copy) => editStep(copy, 2, (step) => (step.rollouts[0].costs.tokens += 2)),
    "reward",
  ],
])("%s is found", async (_, plant, stage) => {
  const copy = await copyOfRun(run);
  await plant(copy);
  const { differences } = await audit(copy);
  expect(differences.map((each) => each.stage)).toContain(stage);
});
