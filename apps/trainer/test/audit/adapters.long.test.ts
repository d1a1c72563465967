import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyOfRun, editJson, editNumbers, editStep, swapFiles, type Loose } from "../edited-run.ts";
import { laconic } from "../laconic.ts";
import { auditRun, type AuditOptions, type AuditReport } from "@laconic/audit";
import type { Difference } from "@laconic/audit";

const model = fileURLToPath(new URL("../../../../packages/runtime/assets/relay-one-fact", import.meta.url));

const words = [
  "preset:relay-quickstart",
  "train.steps=3",
  "train.problemsPerStep=1",
  "train.episodesPerProblem=3",
  "train.optimizer.learningRate.peak=0.003",
  "train.optimizer.learningRate.warmUpSteps=0",
  "train.minibatches=1",
  "train.evaluation.problems=2",
  "train.evaluation.every=0",
  "train.checkpoint.every=1",
  "train.checkpoint.keep=4",
];
const lora = 'lora={"rank":4,"alpha":8,"targets":["q_proj","o_proj","down_proj"]}';

let folder = "";
let adapter = "";
let whole = "";

async function trained(name: string, changes: readonly string[]): Promise<string> {
  const run = join(folder, name);
  const { code, err } = await laconic("train", ...words, ...changes, "--run", run);
  expect([code, code === 0 ? "" : err]).toEqual([0, ""]);
  return run;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "laconic-adapters-"));
  adapter = await trained("adapter", [lora]);
  whole = await trained("whole", ["train.steps=1"]);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const audit = (run: string, options: Partial<AuditOptions> = {}): Promise<AuditReport> =>
  auditRun(run, { findModel: async () => model, now: () => performance.now(), ...options });

const allSteps = "all moved from the first weights through the steps 1 to 3";

describe("the factors of an adapter", { timeout: 60_000 }, () => {
  test("are moved step by step and agree with every checkpoint", async () => {
    const { differences, compared, weights, weightsChecked } = await audit(adapter);
    expect(differences).toEqual([]);
    expect([weights, weightsChecked]).toEqual([["plain JavaScript, float64"], [allSteps]]);
    expect(compared["weights"]).toBe(9);
    expect(compared["gradient"]).toBe(3);
  });

  test.each<readonly [string, (run: string) => Promise<unknown>, Partial<Difference>]>([
    [
      "factors of the step before",
      (run) => {
        const [from, to] = [2, 3].map((step) => join(run, `checkpoints/step-0000000${step}`)) as [string, string];
        return swapFiles(from, to, ["adapter_model.safetensors", "optimizer.safetensors"]);
      },
      { step: 3, stage: "weights" },
    ],
    [
      "another scale than the one that was trained with",
      (run) => editJson(join(run, "beginning/adapter_config.json"), (json) => (json.lora_alpha = 16)),
      { step: 1, stage: "gradient", key: "gradient norm" },
    ],
    [
      "a gradient of the base's weights beside the factors'",
      (run) => editStep(run, 2, (content) => (content.policies.policy.updates[0].gradNorm += 0.1)),
      { step: 2, stage: "gradient", key: "gradient norm" },
    ],
    [
      "log-probs of the base without its adapter",
      (run) =>
        editStep(run, 3, (content: Loose) =>
          editNumbers(content.policies.policy.updates[0].logProbs, (values) => {
            const at = values.indexOf(Math.min(...values));
            values[at] = (values[at] as number) * 0.98;
          }),
        ),
      { step: 3, stage: "log-prob", key: "log π" },
    ],
  ])("%s: found", async (_, plant, found) => {
    const run = await copyOfRun(adapter);
    await plant(run);
    const step = found.step as number;
    const { differences } = await audit(run, { steps: [step, step] });
    expect(differences.find(({ stage }) => stage !== "folder")).toMatchObject(found);
  });

  test("a model under the adapter that is another one, or not there, is said and all else audited", async () => {
    const other = await audit(adapter, { findModel: async () => join(whole, "checkpoints/step-00000001") });
    const gone = await audit(adapter, { findModel: () => Promise.reject(new Error("no such model")) });
    for (const [{ agrees, weights, notAuditable }, said] of [
      [other, "is not the model that the run began with"],
      [gone, "no such model"],
    ] as const) {
      expect([agrees, weights]).toEqual([true, []]);
      const why = notAuditable.find(({ what }) => what.startsWith("weights"))?.why;
      expect(why).toContain("the model under the adapter is not known");
      expect(why).toContain(said);
    }
  });

  const python = process.env["LACONIC_PYTHON"];
  test.skipIf(python === undefined)("PyTorch with peft agrees", { timeout: 200_000 }, async () => {
    const { differences, weights } = await audit(adapter, { python, steps: [3, 3] });
    expect(differences).toEqual([]);
    expect(weights).toHaveLength(2);
  });
});

describe("less than all", { timeout: 60_000 }, () => {
  test("a few sequences of each step whose weights the folder holds", async () => {
    const { differences, compared, weightsChecked } = await audit(adapter, { sample: 2 });
    expect(differences).toEqual([]);
    expect(weightsChecked).toEqual([
      expect.stringMatching(/^log-probs of 6 of the \d+ sequences of the steps 1, 2, 3$/u),
    ]);
    expect(compared["gradient"]).toBeUndefined();
    expect(compared["log-prob"]).toBeGreaterThan(20);
  });

  test("a few sequences find weights that no step made", async () => {
    const run = await copyOfRun(adapter);
    const [from, to] = [1, 2].map((step) => join(run, `checkpoints/step-0000000${step}`)) as [string, string];
    await swapFiles(from, to, ["adapter_model.safetensors", "optimizer.safetensors"]);
    const { differences } = await audit(run, { sample: 6 });
    expect(differences.filter(({ stage }) => stage === "log-prob")[0]).toMatchObject({ step: 3, key: "log π" });
  });

  test("minutes that are over end the walk, and what is left out is named", async () => {
    let time = 0;
    const now = (): number => (time += 1e5);
    const { weightsChecked, notAuditable, agrees } = await audit(adapter, { minutes: 1e-6, now });
    expect([agrees, weightsChecked]).toEqual([true, []]);
    expect(notAuditable.map(({ what }) => what)).toContain("weights, gradient norms and log-probs of the steps 1 to 3");
  });

  test("weights that the run did not keep are those of the model that it names", async () => {
    const run = await copyOfRun(whole);
    await rm(join(run, "beginning"), { recursive: true });
    const { differences, weightsChecked } = await audit(run);
    expect(differences).toEqual([]);
    expect(weightsChecked).toEqual(["all moved from the first weights through the steps 1 to 1"]);
  });

  test("without first weights an adapter is walked from its first checkpoint on, and the rest named", async () => {
    const run = await copyOfRun(adapter);
    await rm(join(run, "beginning"), { recursive: true });
    const { differences, weightsChecked, notAuditable } = await audit(run);
    expect(differences).toEqual([]);
    expect(weightsChecked).toEqual(["all moved from the checkpoint of step 1 through the steps 2 to 3"]);
    expect(notAuditable).toContainEqual({
      what: "weights, gradient norms and log-probs of the steps 1 to 1",
      why: "the folder holds no weights of before them",
    });
  });

  test.each([
    [["--sample", "0"], "--sample is 0"],
    [["--minutes", "-1"], "--minutes is -1"],
  ])("%j is refused", async (flags, said) => {
    const { code, err } = await laconic("audit", adapter, ...flags);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  });
});
