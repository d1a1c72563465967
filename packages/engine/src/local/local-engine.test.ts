import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LaconicError, type Engine, type TrainableModel, type TrainingSequence } from "@laconic/core";
import { afterAll, describe, expect, test } from "vitest";
import { createReferenceKernels, referenceKernels } from "../kernels/testing/index.ts";
import { engineCases } from "../testing/engine-cases.ts";
import { tinyConfigs } from "../testing/tiny-models.ts";
import { createInlineEngine, createLocalEngine } from "./local-engine.ts";

const kinds: Readonly<Record<string, () => Promise<Engine>>> = {
  inline: () => createInlineEngine([createReferenceKernels()]),
  "inline, two replicas": () => createInlineEngine([createReferenceKernels(), createReferenceKernels()]),
  "inline, recomputing, small micro-batches": () =>
    createInlineEngine([createReferenceKernels()], { recompute: "layer", maxTokensPerMicroBatch: 5 }),
};
for (const [kind, create] of Object.entries(kinds))
  describe(kind, () => {
    for (const item of engineCases) test(item.name, () => item.run(create));
  });

describe("worker threads", () => {
  for (const item of engineCases.slice(0, 5))
    test(item.name, () => item.run(() => createLocalEngine({ device: referenceKernels(), workers: 2 })), 30_000);

  test("a kernel set that cannot start refuses the engine", async () => {
    const device = { device: "broken", module: new URL("./no-such-module.ts", import.meta.url).href };
    await expect(createLocalEngine({ device })).rejects.toMatchObject({ code: "engine_failed" });
  }, 30_000);

  test("a closed engine refuses calls", async () => {
    const engine = await createLocalEngine({ device: referenceKernels() });
    await engine.close();
    await expect(engine.createModel({ kind: "config", config: tiny, seed: 0 })).rejects.toMatchObject({ code: "engine_failed" });
  }, 30_000);
});

const tiny = Object.values(tinyConfigs)[0] as Readonly<Record<string, unknown>>;
const settings = { learningRate: 0.01, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.1, maxGradNorm: 0.5 };
const batch: readonly TrainingSequence[] = [
  { promptTokens: [1, 2], completionTokens: [3, 4, 5] },
  { promptTokens: [5], completionTokens: [6, 7] },
  { promptTokens: [2, 3, 4], completionTokens: [1] },
];

async function trainSteps(model: TrainableModel, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    await model.forwardBackward(batch, (logProbs) => logProbs.values.map((value) => value / 10 - 0.1));
    await model.optimStep(settings);
  }
}

test("two replicas train as one", async () => {
  const values = await Promise.all(
    [1, 2, 3].map(async (replicas) => {
      const engine = await createInlineEngine(Array.from({ length: replicas }, () => createReferenceKernels()));
      const model = await engine.createModel({ kind: "config", config: tiny, seed: 3 });
      await trainSteps(model, 4);
      return (await model.forward(batch)).logProbs.values;
    }),
  );
  // Replicas exchange float32 gradients.
  for (const other of values.slice(1)) other.forEach((value, i) => expect(value).toBeCloseTo(values[0]?.[i] as number, 5));
});

test("training leaks no tensors", async () => {
  const kernels = createReferenceKernels();
  const engine = await createInlineEngine([kernels]);
  const model = await engine.createModel({ kind: "config", config: tiny, seed: 0 });
  await trainSteps(model, 1);
  const alive = kernels.liveTensors();
  await trainSteps(model, 50);
  await model.sample([{ promptTokens: [1], sampling: { temperature: 1, maxTokens: 5 }, stopTokens: [], random: [1, 2, 3, 4] }]);
  const snapshot = await model.snapshot();
  await snapshot.forward(batch);
  await snapshot.dispose();
  expect(kernels.liveTensors()).toBe(alive);
  await model.dispose();
  expect(kernels.liveTensors()).toBe(0);
});

describe("save and load", () => {
  const folders: string[] = [];
  const folder = async (): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), "laconic-engine-"));
    folders.push(path);
    return path;
  };
  afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true }))));

  /** Float32 files hold float64 reference weights to their own precision, so both sides start from a file. */
  async function savedModel(): Promise<{ engine: Engine; path: string }> {
    const engine = await createInlineEngine([createReferenceKernels()]);
    const model = await engine.createModel({ kind: "config", config: tiny, seed: 5 });
    await trainSteps(model, 3);
    const path = await folder();
    expect(await model.save(path)).toEqual(["config.json", "model.safetensors", "optimizer.safetensors"]);
    return { engine, path };
  }

  test("a loaded model continues as the other one", async () => {
    const { engine, path } = await savedModel();
    const results: Float64Array[] = [];
    for (let i = 0; i < 2; i++) {
      const model = await engine.createModel({ kind: "folder", path });
      await model.load(path);
      expect(model.weightVersion).toBe(3);
      await trainSteps(model, 3);
      results.push((await model.forward(batch)).logProbs.values);
    }
    expect(results[1]).toEqual(results[0]);
  });

  test("a damaged file is refused by name and the model stays", async () => {
    const { engine, path } = await savedModel();
    const model = await engine.createModel({ kind: "folder", path });
    const before = (await model.forward(batch)).logProbs.values;
    const file = join(path, "model.safetensors");
    await writeFile(file, (await readFile(file)).subarray(0, 900));
    await expect(model.load(path)).rejects.toSatisfy(
      (error) => LaconicError.is(error) && error.code === "weights_invalid" && error.message.includes("model.safetensors"),
    );
    expect((await model.forward(batch)).logProbs.values).toEqual(before);
  });

  test("a folder without a model is missing, another model's weights do not fit", async () => {
    const { engine, path } = await savedModel();
    await expect(engine.createModel({ kind: "folder", path: await folder() })).rejects.toMatchObject({ code: "checkpoint_missing" });
    const other = await engine.createModel({ kind: "config", config: Object.values(tinyConfigs)[1] as never, seed: 0 });
    await expect(other.load(path)).rejects.toMatchObject({ code: "weights_invalid" });
  });
});
