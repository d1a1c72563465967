import { performance } from "node:perf_hooks";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyOfRun, editJson, editLines, editNumbers, editStep, swapFiles, type Loose } from "../edited-run.ts";
import { laconic } from "../laconic.ts";
import { auditRun, type AuditReport, type Difference } from "@laconic/audit";

/** A budget that charges from the second step on, and a clip that acts. */
const words = [
  "preset:relay-quickstart",
  "train.steps=3",
  "train.problemsPerStep=2",
  "train.episodesPerProblem=3",
  'train.budget={"targetTokens":14,"learningRate":0.00001}',
  'train.objective={"name":"gspo","clip":{"low":0.003,"high":0.004}}',
  "train.optimizer.learningRate.warmUpSteps=0",
  "train.evaluation.problems=4",
  "train.evaluation.every=0",
  "train.checkpoint.every=1",
  "train.checkpoint.keep=4",
];

/** @param step - alone, from the checkpoint before it; all when absent */
const audit = (run: string, fast: boolean, step?: number): Promise<AuditReport> =>
  auditRun(run, { fast, steps: step === undefined ? undefined : [step, step], now: () => performance.now() });

let whole = "";
beforeAll(async () => {
  whole = join(await mkdtemp(join(tmpdir(), "laconic-")), "run");
  const { code, err } = await laconic("train", ...words, "--run", whole);
  if (code !== 0) throw new Error(err);
}, 120_000);
afterAll(() => rm(dirname(whole), { recursive: true, force: true }));

/** What is planted, where it must be found, and whether that takes the weights. */
interface Fault {
  readonly plant: (run: string) => Promise<void>;
  readonly found: Partial<Difference>;
  readonly weights?: true;
}

const policy = (content: Loose): Loose => content.policies.policy;

const inFolder: Readonly<Record<string, Fault>> = {
  "a changed reward": {
    plant: (run) => editStep(run, 2, ({ rollouts }) => (rollouts[5].reward += 0.5)),
    found: { step: 2, stage: "reward", key: "reward", episode: 5 },
  },
  "a changed grade": {
    plant: (run) =>
      editStep(run, 1, ({ episodes, rollouts }) => {
        const { score } = episodes[rollouts[3].episode];
        score.value = 1 - score.value;
        score.reward.team.task = score.value;
      }),
    found: { step: 1, stage: "grade", key: "score", episode: 3 },
  },
  "a cost of other units": {
    plant: (run) => editStep(run, 3, ({ rollouts }) => (rollouts[0].costs.turns += 1)),
    found: { step: 3, stage: "reward", key: "cost turns", episode: 0 },
  },
  "the flipped sign of an advantage": {
    plant: (run) =>
      editStep(run, 3, (content) =>
        editNumbers(policy(content).advantages, (values) => {
          const at = values.findIndex((value) => value !== 0);
          values[at] = -(values[at] as number);
        }),
      ),
    found: { step: 3, stage: "advantage", key: "advantage", policy: "policy", agent: "holder-a", turn: 0 },
  },
  "an episode in the wrong group": {
    plant: (run) => editStep(run, 2, ({ rollouts }) => (rollouts[1].group = 1)),
    found: { step: 2, stage: "episode", key: "problemId", episode: 1 },
  },
  "a row that no optimiser step had": {
    plant: (run) =>
      editStep(run, 1, (content) => {
        const [update] = policy(content).updates;
        const [row] = update.rows.splice(0, 1);
        const [rollout, turn] = policy(content).sequences[row];
        const said = content.episodes[content.rollouts[rollout].episode].utterances[turn];
        const { length } = content.utterances[said].tokens;
        editNumbers(update.logProbs, (values) => void values.splice(0, length));
      }),
    found: { step: 1, stage: "batch", key: "times in the optimiser steps of epoch 0", expected: 1, found: 0 },
  },
  "a sequence in the place of another": {
    plant: (run) => editStep(run, 2, (content) => (policy(content).sequences[6] = policy(content).sequences[2])),
    found: { step: 2, stage: "batch", key: "times in the batch", episode: 0, turn: 2, expected: 1, found: 2 },
  },
  "the price of the step before": {
    plant: (run) =>
      editStep(run, 3, (content) => {
        content.prices.tokens = 0;
        policy(content).prices.tokens = 0;
      }),
    found: { step: 3, stage: "price", key: "λ of tokens", found: 0 },
  },
  "a token count that is off by one": {
    plant: (run) =>
      editStep(run, 2, ({ episodes, rollouts }) => (episodes[rollouts[4].episode].ledger.calls[3].writtenTokens += 1)),
    found: { step: 2, stage: "episode", key: "ledger writtenTokens", episode: 4, agent: "solver", turn: 3 },
  },
  "an entropy in another unit": {
    plant: (run) => editLines(run, "metrics.jsonl", (line) => void (line["actor/entropy"] *= Math.LOG2E)),
    found: { step: 1, stage: "metric", key: "actor/entropy" },
  },
  "a metric of the step before": {
    plant: (run) => editLines(run, "metrics.jsonl", (line) => void (line["ratio/max"] = 1)),
    found: { step: 1, stage: "metric", key: "ratio/max" },
  },
  "a line of metrics that is gone": {
    plant: (run) => editLines(run, "metrics.jsonl", ({ step }) => step !== 2 && undefined),
    found: { step: 2, stage: "folder", key: "metrics.jsonl: line of the step" },
  },
  "a learning rate that is off": {
    plant: (run) => editStep(run, 2, (content) => (policy(content).updates[1].learningRate *= 1.01)),
    found: { step: 2, stage: "optimizer", key: "learning rate", optimizerStep: 3 },
  },
  "a better evaluation": {
    plant: (run) =>
      editLines(run, "evaluations.jsonl", (line) => void (line.accuracy = line.step === 3 ? 2 : line.accuracy)),
    found: { step: 3, stage: "evaluation", key: "accuracy", found: 2 },
  },
  "bytes behind the end of a checkpoint's weights": {
    plant: (run) => appendFile(join(run, "checkpoints/step-00000003/model.safetensors"), "x"),
    found: { step: 3, stage: "folder" },
  },
  "a gradient norm of after the clip": {
    plant: (run) => editStep(run, 1, (content) => (policy(content).updates[0].gradNorm *= 0.9)),
    found: { step: 1, stage: "gradient", key: "gradient norm", optimizerStep: 0 },
    weights: true,
  },
  "log-probs at another temperature": {
    plant: (run) =>
      editStep(run, 2, (content) =>
        editNumbers(policy(content).updates[1].logProbs, (values) => {
          const at = values.indexOf(Math.min(...values));
          values[at] = (values[at] as number) * 0.98;
        }),
      ),
    found: { step: 2, stage: "log-prob", key: "log π" },
    weights: true,
  },
  "weights of the step before": {
    plant: (run) => {
      const [from, to] = [2, 3].map((step) => join(run, `checkpoints/step-0000000${step}`)) as [string, string];
      return swapFiles(from, to, ["model.safetensors", "optimizer.safetensors"]);
    },
    found: { step: 3, stage: "weights" },
    weights: true,
  },
  "moments of the step before": {
    plant: (run) => {
      const [from, to] = [2, 3].map((step) => join(run, `checkpoints/step-0000000${step}`)) as [string, string];
      return swapFiles(from, to, ["optimizer.safetensors"]);
    },
    found: { step: 3, stage: "weights", key: "first moments, distance in their norm" },
    weights: true,
  },
};

test("without a fault nothing is found", { timeout: 60_000 }, async () => {
  expect((await audit(whole, false)).differences).toEqual([]);
});

test.each(Object.entries(inFolder))("%s is found at its place", { timeout: 60_000 }, async (_, fault) => {
  const run = await copyOfRun(whole);
  await fault.plant(run);
  const { agrees, differences } = await audit(run, !fault.weights, fault.weights && fault.found.step);
  expect(agrees).toBe(false);
  // Checkpoints know their run's files by checksum as well.
  const [first] = differences.filter(({ stage, key }) => stage !== "folder" || key === fault.found.key);
  expect(first ?? differences[0]).toMatchObject(fault.found);
});

test("a metric that the audit cannot compute is named, and is no difference", async () => {
  const run = await copyOfRun(whole);
  await editLines(run, "metrics.jsonl", (line) => void (line["reward/novelty"] = 1));
  const { differences, notAuditable } = await audit(run, true);
  // Checkpoints know the file by its checksum.
  expect(differences.filter(({ stage }) => stage !== "folder")).toEqual([]);
  expect(notAuditable).toContainEqual({
    what: "metric reward/novelty",
    why: "this audit has no second rule for it",
  });
});

const python = process.env["LACONIC_PYTHON"];

test.skipIf(python === undefined)("PyTorch agrees, and finds what this code finds", { timeout: 400_000 }, async () => {
  const run = await copyOfRun(whole);
  await editStep(run, 1, (content) => (policy(content).updates[1].gradNorm = 7));
  const { differences, weights, compared } = await auditRun(run, {
    python,
    steps: [1, 1],
    now: () => performance.now(),
  });
  expect(weights).toEqual(["plain JavaScript, float64", expect.stringMatching(/^PyTorch 2\..*, float64$/)]);
  expect(compared.weights).toBeGreaterThan(1);
  const found = { step: 1, stage: "gradient", key: "gradient norm", optimizerStep: 1, found: 7 };
  expect(differences.filter(({ stage }) => stage !== "folder" && stage !== "metric")).toEqual([
    expect.objectContaining(found),
    expect.objectContaining({ ...found, by: expect.stringMatching(/^PyTorch/) }),
  ]);
});

test("a Python without torch is told what it takes", { timeout: 60_000 }, async () => {
  const reported = auditRun(whole, { python: "no-such-python", now: () => performance.now() });
  await expect(reported).rejects.toMatchObject({ code: "engine_failed", message: expect.stringContaining("--python") });
});

/** A folder that claims other settings than the run had: the run did otherwise than its folder says. */
const inSettings: readonly [string, (train: Loose) => void, Partial<Difference>, "weights"?][] = [
  [
    "a wrong clip epsilon",
    (train) => (train.objective.clip = { low: 0.0003, high: 0.0004 }),
    { stage: "loss", key: "loss", policy: "policy" },
  ],
  [
    "an old policy of another step",
    (train) => (train.refreshOldPolicyEvery = 2),
    { step: 2, stage: "log-prob", key: "log π_old", policy: "policy" },
    "weights",
  ],
  [
    "advantages that are not divided by their deviation",
    (train) => (train.advantage = { estimator: "group", scale: "group" }),
    { stage: "advantage", key: "advantage" },
  ],
  ["another decay", (train) => (train.optimizer.weightDecay = 0.5), { step: 2, stage: "weights" }, "weights"],
];

test.each(inSettings)("%s of the run itself is found", { timeout: 120_000 }, async (_, say, found, weights) => {
  const run = await copyOfRun(whole);
  await editJson(join(run, "config.json"), ({ train }) => say(train));
  const { differences } = await audit(run, weights === undefined);
  expect(differences).toContainEqual(expect.objectContaining(found));
});
