import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import type { Engine, TrainableModel, TrainingSequence, UnknownRecord } from "@laconic/core";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { defaultFiles } from "#platform";
import type { DeviceMemory } from "../kernels/index.ts";
import { createReferenceKernels, referenceKernels } from "../kernels/testing/index.ts";
import { engineCases } from "../testing/engine-cases.ts";
import { tinyConfigs } from "../testing/tiny-models.ts";
import type { OptimizerPlace } from "../optimizer/adamw.ts";
import type { ModelFacts } from "./hosted-model/model-types.ts";
import { InlineHost } from "./host/inline-host.ts";
import { createInlineEngine, createLocalEngine } from "./local-engine.ts";
import { LocalModel } from "./local-model.ts";

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

const tiny = Object.values(tinyConfigs)[0] as UnknownRecord;
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

test("replicas train as one: the same numbers to float64 rounding", async () => {
  const values = await Promise.all(
    [1, 2, 3].map(async (replicas) => {
      const engine = await createInlineEngine(Array.from({ length: replicas }, () => createReferenceKernels()));
      const model = await engine.createModel({ kind: "config", config: tiny, seed: 3 });
      await trainSteps(model, 4);
      return (await model.forward(batch)).logProbs.values;
    }),
  );
  for (const other of values.slice(1))
    other.forEach((value, i) => expect(Math.abs(value - (values[0]?.[i] as number))).toBeLessThan(1e-9));
});

test("the optimizer's state on the host trains, saves and resumes to the same bits", async () => {
  const trained = async (from: OptimizerPlace, to: OptimizerPlace): Promise<unknown> => {
    const folder = await temporaryFolder();
    const first = await createInlineEngine([createReferenceKernels()], { optimizer: from });
    const model = await first.createModel({ kind: "config", config: tiny, seed: 3 });
    await trainSteps(model, 2);
    await model.save(folder);
    const second = await createInlineEngine([createReferenceKernels()], { optimizer: to });
    const resumed = await second.createModel({ kind: "config", config: tiny, seed: 4 });
    await resumed.load(folder);
    await trainSteps(resumed, 2);
    return (await resumed.forward(batch)).logProbs.values;
  };
  const expected = await trained("device", "device");
  expect(await trained("host", "host")).toEqual(expected);
  expect(await trained("host", "device")).toEqual(expected);
  expect(await trained("device", "host")).toEqual(expected);
});

test("reports the memory in use on the fullest GPU, and none of the machine's", async () => {
  const engineOf = (...devices: readonly DeviceMemory[]): Promise<Engine> =>
    createInlineEngine(devices.map((memory) => ({ ...createReferenceKernels(), memory: () => memory })));
  const gpus = await engineOf({ free: 7, total: 10 }, { free: 4, total: 10 }, { free: 0, total: 99, isHost: true });
  expect(await gpus.deviceBytes?.()).toBe(6);
  expect(await (await engineOf({ free: 0, total: 99, isHost: true })).deviceBytes?.()).toBeNull();
});

test("replicas stay bit-identical", async () => {
  const kernels = [createReferenceKernels(), createReferenceKernels()];
  const hosts = kernels.map(
    (kernel) =>
      new InlineHost(kernel, {
        recompute: "none",
        optimizer: "device",
        sharePrefixes: true,
        limits: {},
        files: defaultFiles,
      }),
  );
  const facts = await Promise.all(hosts.map((host) => host.create(0, { kind: "config", config: tiny, seed: 3 })));
  const settled = { maxTokensPerMicroBatch: 4, sharePrefixes: true, dtype: "float64" } as const;
  const model = new LocalModel(hosts, 0, facts[0] as ModelFacts, settled);
  await trainSteps(model, 4);
  const [one, two] = await Promise.all(hosts.map((host) => host.call(0, "forward", "live", batch, {})));
  expect(one).toEqual(two);
});

test("forward lists the likeliest tokens that sampling lists, at temperature 1", async () => {
  const kernels = [createReferenceKernels(), createReferenceKernels()];
  const engine = await createInlineEngine(kernels);
  const model = await engine.createModel({ kind: "config", config: tiny, seed: 3 });
  const sampled = await model.sample(
    [1, 2, 3].map((seed) => ({
      promptTokens: [1, 2, seed],
      sampling: { temperature: 0.5, maxTokens: 4 },
      stopTokens: [],
      random: [seed, 2, 3, 4] as const,
      topLogProbs: 5,
    })),
  );
  const sequences = [
    ...sampled.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens, temperature: 0.5 })),
    { promptTokens: [1], completionTokens: [] },
  ];
  const alive = kernels.map((kernel) => kernel.liveTensors());
  const { logProbs, atOne } = await model.forward(sequences, { topLogProbs: 5 });
  expect(kernels.map((kernel) => kernel.liveTensors())).toEqual(alive);
  expect(atOne).toHaveLength(4);
  expect(atOne?.[3]).toEqual([]);
  sampled.forEach(({ tokens, atOne: expected = [], logProbs: atTemperature }, row) => {
    expect(atOne?.[row]).toHaveLength(tokens.length);
    expected.forEach((logProbsAtOne, t) => {
      const match = atOne?.[row]?.[t];
      expect(match?.logProb).toBeCloseTo(logProbsAtOne.logProb, 10);
      expect(match?.top.map(({ token }) => token)).toEqual(logProbsAtOne.top.map(({ token }) => token));
      expect(match?.top.map(({ logProb }) => logProb)).toBeAllclose(logProbsAtOne.top.map(({ logProb }) => logProb));
      expect(logProbs.values[(logProbs.offsets[row] as number) + t]).toBeCloseTo(atTemperature[t] as number, 10);
    });
  });
  expect((await model.forward(sequences)).atOne).toBeUndefined();
  await expect(model.forward(sequences, { topLogProbs: 0.5 })).rejects.toFailWith("input_invalid");
  await engine.close();
});

test("sampling draws no id that the tokenizer of the folder lacks, and the same ids when it has all", async () => {
  const folder = await temporaryFolder();
  const size = tiny["vocab_size"] as number;
  const draws = async (tokens: number | null): Promise<readonly number[]> => {
    const vocab = Object.fromEntries(Array.from({ length: (tokens ?? 1) - 1 }, (_, id) => [`t${id}`, id]));
    const added = tokens === null ? undefined : [{ id: tokens - 1, content: "<end>" }];
    await writeFile(
      join(folder, "tokenizer.json"),
      tokens === null ? "{" : JSON.stringify({ model: { vocab }, added_tokens: added }),
    );
    const kernels = createReferenceKernels();
    const engine = await createInlineEngine([kernels]);
    const model = await engine.createModel({ kind: "folder", path: folder });
    const request = {
      promptTokens: [1, 2],
      sampling: { temperature: 9, maxTokens: 6 },
      stopTokens: [],
      topLogProbs: 2,
    };
    const random = Array.from({ length: 20 }, (_, i) => [i + 1, 2, 3, 4] as const);
    const results = await model.sample(random.map((state) => ({ ...request, random: state })));
    await engine.close();
    return results.flatMap(({ tokens: drawn, atOne = [] }) => [
      ...drawn,
      ...atOne.flatMap(({ top }) => top.map(({ token }) => token)),
    ]);
  };
  const engine = await createInlineEngine([createReferenceKernels()]);
  await (await engine.createModel({ kind: "config", config: tiny, seed: 5 })).save(folder);
  const [unknown, whole, padded] = [await draws(null), await draws(size), await draws(size - 4)];
  expect(whole).toEqual(unknown);
  expect(Math.max(...whole)).toBeGreaterThanOrEqual(size - 4);
  expect(Math.max(...padded)).toBe(size - 5);
});

test("training leaks no tensors", async () => {
  const kernels = createReferenceKernels();
  const engine = await createInlineEngine([kernels]);
  const model = await engine.createModel({ kind: "config", config: tiny, seed: 0 });
  await trainSteps(model, 1);
  const alive = kernels.liveTensors();
  await trainSteps(model, 50);
  await model.sample([
    { promptTokens: [1], sampling: { temperature: 1, maxTokens: 5 }, stopTokens: [], random: [1, 2, 3, 4] },
  ]);
  const snapshot = await model.snapshot();
  await snapshot.forward(batch);
  await snapshot.dispose();
  expect(kernels.liveTensors()).toBe(alive);
  await model.dispose();
  expect(kernels.liveTensors()).toBe(0);
});

test("a damaged optimizer state is refused by name and the model stays", async () => {
  const folder = await temporaryFolder();
  const engine = await createInlineEngine([createReferenceKernels()]);
  const model = await engine.createModel({ kind: "config", config: tiny, seed: 5 });
  await trainSteps(model, 2);
  await model.save(folder);
  await trainSteps(model, 1);
  const before = (await model.forward(batch)).logProbs.values;
  for (const name of ["optimizer.safetensors", "model.safetensors"]) {
    const file = join(folder, name);
    await writeFile(file, (await readFile(file)).subarray(0, -8));
    const error = await model.load(folder).catch((reason: unknown) => reason);
    expect(LaconicError.is(error) && error.code).toBe("weights_invalid");
    expect(String(error)).toContain(name);
    expect((await model.forward(batch)).logProbs.values).toEqual(before);
  }
});

test("settings out of range are refused", async () => {
  const device = referenceKernels();
  await expect(createLocalEngine({ device, workers: 0 })).rejects.toFailWith("config_invalid");
  await expect(createLocalEngine({ device, workers: 1.5 })).rejects.toFailWith("config_invalid");
  await expect(createLocalEngine({ device, maxTokensPerMicroBatch: 0 })).rejects.toFailWith("config_invalid");
});

describe("a signal", () => {
  const source = { kind: "config", config: tiny, seed: 3 } as const;
  const aborted = { code: "aborted" };

  test("ends the opening of a model, frees its parts, and the engine continues", async () => {
    const kernels = [createReferenceKernels(), createReferenceKernels()];
    const engine = await createInlineEngine(kernels);
    await expect(engine.createModel(source, { signal: AbortSignal.abort() })).rejects.toMatchObject(aborted);
    const controller = new AbortController();
    const opening = engine.createModel(source, { signal: controller.signal });
    controller.abort();
    await expect(opening).rejects.toMatchObject(aborted);
    await vi.waitFor(() => expect(kernels.map((kernel) => kernel.liveTensors())).toEqual([0, 0]), 5000);
    const model = await engine.createModel(source, { signal: new AbortController().signal });
    await trainSteps(model, 1);
    await engine.close();
  });

  test("ends the start of an engine, its threads with it", async () => {
    const device = referenceKernels();
    await expect(createLocalEngine({ device, signal: AbortSignal.abort() })).rejects.toMatchObject(aborted);
    const workers = (): number => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
    const before = workers();
    const controller = new AbortController();
    const starting = createLocalEngine({ device, workers: 2, signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(starting).rejects.toMatchObject(aborted);
    expect(workers()).toBe(before);
  });

  test("a model that one replica cannot open is on none", async () => {
    const kernels = [createReferenceKernels(), createReferenceKernels()];
    const [, second] = kernels as [unknown, (typeof kernels)[0]];
    const failing = {
      ...second,
      upload: () => {
        throw new LaconicError("device_out_of_memory", "full");
      },
    };
    const engine = await createInlineEngine([kernels[0] as (typeof kernels)[0], failing]);
    await expect(engine.createModel(source)).rejects.toFailWith("device_out_of_memory");
    expect(kernels[0]?.liveTensors()).toBe(0);
    await engine.close();
  });
});
