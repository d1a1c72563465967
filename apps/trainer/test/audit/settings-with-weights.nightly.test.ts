import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLocalEngine } from "@laconic/engine";
import { startFakeVllm } from "@laconic/fleet/testing";
import { wasmKernels } from "@laconic/kernels-wasm";
import { expect, test } from "vitest";
import type { AuditReport } from "@laconic/audit";
import { shippedCheckpoint } from "@laconic/runtime/models";
import { editJson } from "../edited-run.ts";
import { laconic } from "../laconic.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const small = [
  "preset:relay-quickstart",
  "device=wasm",
  "workers=1",
  "train.steps=2",
  "train.problemsPerStep=1",
  "train.episodesPerProblem=2",
  "train.evaluation.problems=2",
  "train.evaluation.every=0",
  "train.checkpoint.every=1",
];

async function audited(words: readonly string[], run: string): Promise<AuditReport> {
  const trained = await laconic("train", ...small, ...words, "--run", run);
  expect([trained.code, trained.code === 0 ? "" : trained.err]).toEqual([0, ""]);
  const { code, out } = await laconic("audit", run, "--json");
  const report = JSON.parse(out) as AuditReport;
  expect([code, report.differences.slice(0, 3)]).toEqual([0, []]);
  return report;
}

const decaying = '{"peak":0.001,"warmUpSteps":1,"decay":"cosine","finalFraction":0.1}';

/** Settings that move weights, or say how log-probs are computed: with the weights themselves. */
test.each([
  ["every cut of sampling", ['train.sampling={"temperature":0.8,"topP":0.9,"topK":3,"minP":0.1}']],
  [
    "every setting of the optimizer",
    [
      'train.optimizer={"beta1":0.5,"beta2":0.7,"epsilon":0.001,"weightDecay":0.1,"maxGradNorm":0.01}',
      `train.optimizer.learningRate=${decaying}`,
      "train.epochs=2",
      "train.minibatches=2",
    ],
  ],
  [
    "an old policy of two steps, less memory",
    [
      "train.refreshOldPolicyEvery=2",
      "train.checkpoint.every=2",
      "train.oldLogProbs=recompute",
      "memory.recompute=layer",
      "memory.maxTokensPerMicroBatch=64",
      "memory.cacheGb=1",
      "workers=2",
    ],
  ],
  [
    "a divergence from the first weights",
    ['train.objective={"name":"grpo","kl":{"estimator":"k3","coefficient":0.1}}'],
  ],
  ["an adapter", ['lora={"rank":2,"alpha":8,"targets":["q_proj","down_proj"],"rankStabilized":true}']],
  [
    "an adapter with dropout, a norm that is never clipped",
    ['lora={"rank":2,"alpha":4,"dropout":0.2}', "train.optimizer.maxGradNorm=null"],
  ],
  ["policies of their own", ["policies=own", `train.policies={"holder-a":{"learningRate":${decaying}}}`]],
  [
    "older samples, cut into micro-batches",
    [
      'train.asynchronous={"maxLag":2,"importanceCap":1.5}',
      "train.oldLogProbs=recompute",
      "train.steps=4",
      "memory.maxTokensPerMicroBatch=16",
    ],
  ],
])("%s: a run agrees with its folder, weights included", async (_, words) => {
  const report = await audited(words, join(await temporaryFolder(), "run"));
  expect(report.compared["loss"]).toBeGreaterThan(0);
});

test("samples of servers in step with the trainer are not weighted, and those of servers that are not are", async () => {
  const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
  const base = { kind: "folder", path: fileURLToPath(shippedCheckpoint) } as const;
  const server = await startFakeVllm({ engine, base });
  try {
    const words = ["lora.rank=4", "lora.alpha=8", "train.oldLogProbs=recompute", `sampler=vllm:${server.url}`];
    const run = join(await temporaryFolder(), "run");
    const { compared } = await audited(words, run);
    expect(compared["loss"]).toBeGreaterThan(0);
    // The same run as one that always weights: then the metrics lack the weights.
    await editJson(join(run, "config.json"), ({ train }) => delete train.objective.importance.gapAbove);
    const { code, out } = await laconic("audit", run, "--fast", "--json");
    expect(code).toBe(1);
    const keys = (JSON.parse(out) as AuditReport).differences.map(({ key }) => key);
    expect(keys).toContain("importance_weight/mean");
  } finally {
    await server.close();
    await engine.close();
  }
});

test("a setting that the audit does not know is refused by name, and is no disagreement", async () => {
  const run = await temporaryFolder();
  const train = { steps: 1, objective: { name: "gspo", sharpen: 2 } };
  await writeFile(join(run, "config.json"), JSON.stringify({ train }));
  const { code, out, err } = await laconic("audit", run, "--json");
  expect([code, err]).toEqual([2, expect.stringContaining("this audit does not know train.objective.sharpen")]);
  expect(out).not.toContain("agrees");
});
