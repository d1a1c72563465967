import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { qwenHalfBillion } from "../../../../test/qwen-half-billion.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { RunPlan } from "@laconic/runtime";
import { expectRefused, laconic, type CommandOutput } from "../../test/laconic.ts";

const plan = (...words: readonly string[]): Promise<CommandOutput> => laconic("plan", ...words);

/** A run on Qwen2.5-0.5B's shape, of which nothing but the configuration is there. */
async function qwenRun(): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "config.json"), JSON.stringify(qwenHalfBillion));
  const run = join(folder, "run.json");
  await writeFile(run, JSON.stringify({ model: folder, train: { problemsPerStep: 4, episodesPerProblem: 8 } }));
  return run;
}

const rated = ["--device", "cuda", "--memory", "24GiB", "--tflops", "100", "--json"] as const;
const lengths = ["--prompt-tokens", "300", "--completion-tokens", "200"] as const;

test("plans memory by part, fitting batches and time from a configuration", async () => {
  const run = await qwenRun();
  const { code, out } = await plan(run, ...rated, ...lengths, "memory.maxTokensPerMicroBatch=20000");
  expect(code).toBe(0);
  const full = JSON.parse(out) as RunPlan;
  const parameters = 494_032_768;
  expect(full.model).toEqual({ type: "qwen2", parameters, trained: parameters });
  expect(full.memory).toMatchObject({
    snapshots: 0, // the live policy is the old one
    masterWeights: 4 * parameters,
    gradients: 4 * parameters,
    optimizerMoments: 8 * parameters,
  });
  // 20,000 tokens would hold 18 prompts with 4 replies each; 2 mini-batches of 4 x 8 episodes of 4 agents hold 64.
  expect(full.settings).toMatchObject({ dtype: "bfloat16", microBatch: 64, repliesPerPrompt: 4, rollouts: 96 });
  const rowsOf = (sequences: number): number => Math.ceil(sequences / 4) * 300 + sequences * 200;
  expect(full.sharedTokenFraction).toBeCloseTo(1 - rowsOf(64) / (64 * 500), 12);
  expect(full.largest?.maxTokensPerMicroBatch).toBe(rowsOf(full.largest?.microBatch as number));
  const tokens = rowsOf(128);
  const seconds = (operations: number): number => (operations * parameters * tokens) / 100e12;
  expect(full.stepSeconds?.update).toBeCloseTo(seconds(6), 9);
  expect(full.stepSeconds?.oldLogProbs).toBeCloseTo(seconds(2), 9);
  // Three holders speak before the solver: one launch per layer and token is slower than the products.
  const prefill = (sequences: number): number =>
    (seconds(2) * Math.ceil(sequences / 64) * (1 - (64 * 200) / rowsOf(64))) / 2;
  expect(full.waves).toEqual([["holder-a", "holder-b", "holder-c"], ["solver"]]);
  expect(full.stepSeconds?.sampling).toBeCloseTo(prefill(96) + prefill(32) + 2 * 200 * 0.0109, 9);

  const copies = ["train.refreshOldPolicyEvery=2", "train.checkpoint.every=20", "train.objective.kl.coefficient=0.01"];
  const held = JSON.parse(
    (await plan(run, ...rated, ...lengths, ...copies, "train.objective.name=gspo", "train.objective.kl.estimator=k3"))
      .out,
  ) as RunPlan;
  expect(held.memory.snapshots).toBe(2 * 2 * parameters);

  const words = ["lora.rank=16", "lora.alpha=32", "memory.recompute=layer"];
  const adapter = JSON.parse((await plan(run, ...rated, ...lengths, ...words)).out) as RunPlan;
  expect(adapter.model.trained).toBe(8_798_208);
  expect(adapter.memory.training).toBeLessThan(0.5 * full.memory.training);
  expect(adapter.largest?.microBatch).toBeGreaterThan(2 * (full.largest?.microBatch as number));
});

test("a card that is not here has memory, bandwidth and speed, and names what would fit", async () => {
  const run = await qwenRun();
  const { code, out } = await plan(run, "--card", "rtx-4090", ...lengths, "memory.maxTokensPerMicroBatch=100000");
  expect(code).toBe(0);
  expect(out).toMatch(/DOES NOT FIT into 24 GiB; would fit: memory\.maxTokensPerMicroBatch=\d+ \(train --fit\)/);
  expect(out).toMatch(/sampling in 2 turns .+ assumed of rtx-4090: 28\.1 TFLOP\/s, 1,008 GB\/s$/);
  const [, fitting = ""] = /would fit: (\S+)/.exec(out) ?? [];
  const fits = await plan(run, "--card", "rtx-4090", ...lengths, fitting);
  expect(fits.out).toContain("fits into 24 GiB");
  const small = await plan(run, "--card", "rtx-4090", "--memory", "8GiB", ...lengths, "memory.recompute=layer");
  expect(small.out).toContain("; would fit: memory.optimizer=host");
});

test("train --fit changes what does not fit and nothing else", async () => {
  const train = (...words: readonly string[]): Promise<CommandOutput> => laconic("train", ...words, "--dry-run");
  const run = await qwenRun();
  const { out, err } = await train(run, "--device", "wasm", "--fit");
  expect(err).toContain("fits with memory.recompute=layer lora.rank=16 lora.alpha=32");
  expect(JSON.parse(out)).toMatchObject({ lora: { rank: 16, alpha: 32 }, memory: { recompute: "layer" } });
  const small = ["preset:relay-quickstart", "--device", "wasm"];
  expect((await train(...small, "--fit")).out).toBe((await train(...small)).out);
  await expectRefused(["train", "--resume", "--fit"], "--fit: a resumed run keeps its settings");
});

test("the table names every part and reports runs that do not fit", async () => {
  const run = await qwenRun();
  const { code, out } = await plan(run, "--device", "cuda", "--memory", "8GiB", "--tflops", "100");
  expect(code).toBe(0);
  for (const part of ["weights", "optimizer moments", "gradients", "activations", "key-value cache", "in all"])
    expect(out).toContain(part);
  expect(out).toContain("DOES NOT FIT into 8 GiB: too little for one sequence");
  expect(out).toMatch(/a step of 128 replies: at most .+ at 100 TFLOP\/s; typical lengths give less/);
});

test("measures the shipped policy on a working device", async () => {
  const words = ["--prompt-tokens", "8", "--completion-tokens", "8", "--json", "train.problemsPerStep=1"];
  const { code, out } = await plan("preset:relay-quickstart", "--device", "wasm", ...words);
  expect(code).toBe(0);
  const { stepSeconds, timing, memoryBytes } = JSON.parse(out) as RunPlan;
  expect(timing).toMatch(/^measured on wasm simd/);
  expect(stepSeconds?.update).toBeGreaterThan(0);
  expect(stepSeconds?.sampling).toBeGreaterThan(0);
  expect(memoryBytes).toBeLessThanOrEqual(2 ** 32);
});

test.each([
  [["--memory", "lots"], "--memory is lots"],
  [["--tflops", "-1"], "--tflops is -1, expected a number above 0"],
  [["--prompt-tokens", "1.5"], "--prompt-tokens is 1.5, expected a whole number"],
  [["--prompt-tokens", "99999"], "exceed the model's"],
  [["model=/nowhere"], "model folder not found: /nowhere"],
])("rejects %j in one line", (words, reason) =>
  expectRefused(["plan", "preset:relay-quickstart", "--device", "wasm", ...words], reason),
);
