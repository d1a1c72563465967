import { existsSync } from "node:fs";
import { appendFile, cp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { presetConfig, presetNames } from "@laconic/runtime/resolver";
import { shippedCheckpoint } from "@laconic/runtime/models";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { expectRefused, laconic, outputOf } from "../../test/laconic.ts";
import { smallRun } from "../../test/small-run.ts";

const timeout = 120_000;

async function editManifest(run: string, edit: (text: string) => string): Promise<void> {
  const path = join(run, "manifest.json");
  await writeFile(path, edit(await readFile(path, "utf8")));
}

const rowsOf = async (run: string): Promise<string[]> =>
  (await readFile(join(run, "metrics.jsonl"), "utf8")).trimEnd().split("\n");

test.each([
  [["task.level=two-facts"], "was trained on prompts of relay/one-fact, not of relay/two-facts"],
  [['train.policies={"solver":{"prices":{"tokens":1}}}', "train.budget=null"], "policies.solver: unknown policy"],
  [['bases={"solver":"shipped"}'], "bases.solver: unknown policy"],
  [
    ['train.tree={"mode":"aligned","gamma":1,"stopAbove":null}', "train.groupBy=tree-node", "train.budget=null"],
    "tree: the task relay/one-fact",
  ],
  [["device=abacus"], "device abacus: unknown"],
  [["model=no-such-folder"], "model folder not found"],
  [["lora.rank=0"], "lora"],
])("rejects %j and leaves no files", async (words, reason) => {
  const run = join(await temporaryFolder(), "run");
  await expectRefused(["train", ...smallRun, ...words, "--run", run], reason);
  expect(existsSync(run)).toBe(false);
});

test("the shipped policy, a warm start and checkpoints record their task", { timeout }, async () => {
  const folder = await temporaryFolder();
  const [start, run] = [join(folder, "start"), join(folder, "run")];
  const words = ["--level", "two-facts", "--steps", "2", "--batch", "4", "--device", "wasm", "--out", start];
  await outputOf("relay", "warm-start", ...words);
  expect(JSON.parse(await readFile(join(start, "laconic.json"), "utf8"))).toEqual({ task: "relay/two-facts" });
  const wrong = await laconic("train", ...smallRun, `model=${start}`, "--run", run);
  expect([wrong.code, existsSync(run)]).toEqual([2, false]);
  expect(wrong.err).toContain("was trained on prompts of relay/two-facts, not of relay/one-fact");
  await outputOf("train", ...smallRun, `model=${start}`, "task.level=two-facts", "--run", run);
  const saved = join(run, "checkpoints", "step-00000002");
  expect(JSON.parse(await readFile(join(saved, "laconic.json"), "utf8"))).toEqual({ task: "relay/two-facts" });
  const onward = await laconic("train", ...smallRun, `model=${saved}`, "--run", join(folder, "onward"));
  expect([onward.code, existsSync(join(folder, "onward"))]).toEqual([2, false]);
});

test("rejects a model with another vocabulary as a relay policy", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "config.json"), JSON.stringify({ model_type: "llama", vocab_size: 151_936 }));
  await expectRefused(
    ["train", ...smallRun, `model=${folder}`, "--run", join(folder, "run")],
    "has a vocabulary of 151936, but relay/one-fact is written in 47 characters",
  );
});

test("extends a finished run and names changed weights, settings and rows", { timeout }, async () => {
  const folder = await temporaryFolder();
  const [model, run] = [join(folder, "model"), join(folder, "run")];
  await cp(fileURLToPath(shippedCheckpoint), model, { recursive: true });
  await outputOf("train", ...smallRun, `model=${model}`, "--run", run);
  const two = await rowsOf(run);
  const killed = join(folder, "killed-during-its-first-save");
  await cp(run, killed, { recursive: true, filter: (path) => !/checkpoints\/./u.test(path) });
  const again = await laconic("train", "--resume", killed);
  expect(again.err).toContain("first-save has no checkpoint: the run begins at step 0");
  expect([again.code, await rowsOf(killed)]).toEqual([0, two]);
  const more = await laconic("train", "--resume", run, "train.steps=3");
  expect(more.code).toBe(0);
  expect(more.err).toContain(
    "from step 3 on train.steps is 3 instead of 2: the learning rate now follows the schedule of the new length",
  );
  expect((await rowsOf(run)).slice(0, 2)).toEqual(two);
  expect((await rowsOf(run)).length).toBe(3);

  const resume = ["train", "--resume"];
  await expectRefused([...resume, run, "train.steps=2"], "steps: the run has done 3 already");
  const changed = "the setting train.minibatches was 2 when the run started and is 1";
  await expectRefused([...resume, run, "train.minibatches=1"], changed);
  // A named configuration is compared, not ignored.
  const named = [...resume, ...smallRun, `model=${model}`, "train.steps=3", "train.seed=5", "--run", run];
  await expectRefused(named, "the setting train.seed was 0 when the run started and is 5");
  await outputOf("train", "--resume", ...smallRun, `model=${model}`, "train.steps=3", "--run", run);

  const config = await readFile(join(run, "config.json"), "utf8");
  await writeFile(join(run, "config.json"), config.replace('"episodesPerProblem": 2', '"episodesPerProblem": 4'));
  await expectRefused([...resume, run], "config.json: the setting train.episodesPerProblem was 2");
  await writeFile(join(run, "config.json"), config);

  const weights = join(model, "model.safetensors");
  const bytes = await readFile(weights);
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
  await writeFile(weights, bytes);
  await expectRefused(
    [...resume, run],
    /the input model: model\.safetensors was "[0-9a-f]{64}" when the run started and is "/u,
  );
  for (const command of ["eval", "analyze", "serve"]) {
    const { code, out, err } = await laconic(command, run);
    expect([command, code, out]).toEqual([command, 2, ""]);
    expect(err).toContain("the input model: model.safetensors was");
  }
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
  await writeFile(weights, bytes);
  const few = ["eval", run, "--limit", "1"];
  await outputOf(...few);
  await editManifest(run, (text) => text.replace(/("tokenizer: vocabulary": ")[^"]+/u, "$1other"));
  expect((await laconic(...few)).err).toContain('the input tokenizer: vocabulary was "other"');
  await rm(join(run, "manifest.json"));
  const byDefault = await laconic(...few);
  expect([byDefault.code, byDefault.err]).toEqual([0, expect.stringContaining("cannot be compared")]);
});

test("a report lists lost and duplicate rows", { timeout }, async () => {
  const run = join(await temporaryFolder(), "run");
  await laconic("train", ...smallRun, "--run", run);
  const [first = "", second = ""] = await rowsOf(run);
  await writeFile(join(run, "metrics.jsonl"), `${second}\n`);
  expect((await laconic("view", "report", run)).err).toContain("metrics.jsonl: row 1 is of step 2: step 1 is lost");
  await writeFile(join(run, "metrics.jsonl"), `${first}\n${second}\n`);
  await appendFile(join(run, "metrics.jsonl"), `${second}\n`);
  expect((await laconic("view", "report", run)).err).toContain(
    "metrics.jsonl: row 3 is of step 2, which is a duplicate",
  );
});

test("the terminal warns of a team that ends clearly worse than it began", { timeout }, async () => {
  const run = join(await temporaryFolder(), "run");
  const harm = [
    'train.advantage={"estimator":"raw"}',
    "train.optimizer.learningRate.peak=1",
    "train.optimizer.learningRate.warmUpSteps=0",
  ];
  const { code, err } = await laconic("train", ...smallRun, ...harm, "train.evaluation.problems=60", "--run", run);
  expect(code).toBe(0);
  expect(err).toMatch(
    /warning: at the end, after step 2, the team solves clearly less than before training \(\d+\.\d % -> \d+\.\d %/u,
  );
});

test("quickstart --resume uses the settings of the start", { timeout }, async () => {
  const run = join(await temporaryFolder(), "run");
  const words = smallRun.slice(1);
  await outputOf("quickstart", ...words, "--seed", "2", "--run", run);
  const resumed = await laconic("quickstart", "--resume", "--run", run);
  expect([resumed.code, (await rowsOf(run)).length]).toEqual([0, 2]);
  expect(await readdir(run)).not.toContain("LOCK");
});

test("every preset with a token price has a guard against silence", () => {
  const trainOf = (name: string): { budget?: { guard?: object } | null; prices?: object } =>
    presetConfig(name)["train"] as object;
  expect(presetNames.filter((name) => trainOf(name).prices !== undefined)).toEqual([]); // a price without a budget has no guard
  const budgets = presetNames.flatMap((name) => trainOf(name).budget ?? []);
  expect(budgets.length).toBeGreaterThan(1);
  for (const { guard } of budgets) expect(guard).toMatchObject({ maxSilenceRate: 0.6 });
});
