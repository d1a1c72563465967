import { randomFromSeed, type LoraSettings, type TrainingSequence } from "@laconic/core";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import { expect, test } from "vitest";
import { qwenHalfBillion } from "../../../../test/qwen-half-billion.ts";
import { adapterOf } from "../transformer/model-on-device.ts";
import { adapterShapes, initialAdapter } from "../lora/lora-settings.ts";
import { AdamW } from "../optimizer/adamw.ts";
import { familyConfigs, randomParameters, tinyConfigs } from "../testing/tiny-models.ts";
import { Gradients } from "../transformer/gradients.ts";
import { parseModelConfig } from "../transformer/model-config.ts";
import { packBatch } from "../transformer/packed-batch.ts";
import { trainBackward, trainForward } from "../transformer/train-pass.ts";
import { RunningBatch } from "../generation/running-batch.ts";
import { measurePasses } from "./measure-passes.ts";
import { elementBytes, defaultHeadBytes, libtorchScratch } from "./scratch-bytes.ts";
import { MeasuredKernels } from "./measured-kernels.ts";
import { largestBatches, planMemory, type MemorySettings } from "./plan-memory.ts";
import { optimizer as conformanceOptimizer } from "../testing/cases/engine-case.ts";
import { metered } from "../testing/metered-kernels.ts";
import { uploadModel } from "../testing/model-values.ts";

const settings: MemorySettings = {
  dtype: "float64",
  lora: null,
  recompute: "none",
  snapshots: 1,
  promptTokens: 5,
  completionTokens: 4,
  microBatch: 3,
  rollouts: 0,
};
const lora: LoraSettings = { rank: 2, alpha: 4 };

const cases = Object.entries({ ...tinyConfigs, ...familyConfigs }).flatMap(([name, json]) =>
  (
    [
      { form: "full", change: {} },
      { form: "full, recomputed, optimizer on the host", change: { recompute: "layer", optimizer: "host" } },
      { form: "LoRA", change: { lora } },
      { form: "LoRA, recomputed, counted in bfloat16", change: { lora, recompute: "layer", dtype: "bfloat16" } },
    ] satisfies { form: string; change: Partial<MemorySettings> }[]
  ).map(({ form, change }) => ({
    name: `${form}: ${name}`,
    config: parseModelConfig(json),
    settings: { ...settings, ...change },
  })),
);

test.for(cases)(
  "the plan is what the reference kernels hold, byte for byte: $name",
  async ({ config, settings: input }) => {
    const scratch = libtorchScratch(elementBytes[input.dtype], { headBytes: defaultHeadBytes });
    const measured = new MeasuredKernels(input.dtype, { scratch, sharing: true });
    const meter = metered(createReferenceKernels(), Infinity, measured);
    const { kernels } = meter;
    const base = uploadModel(kernels, config, randomParameters(config, 1));
    const matrices = new Map(
      Array.from(input.lora ? initialAdapter(config, input.lora, randomFromSeed(1)) : [], ([name, values]) => [
        name,
        kernels.upload(values, adapterShapes(config, lora).get(name) as readonly number[]),
      ]),
    );
    const model = { ...base, adapter: input.lora ? adapterOf(input.lora, matrices) : null };
    const plan = planMemory(config, input);
    expect(meter.bytes()).toBe(plan.weights);

    const sequences = [1, 2, 3].map((first): TrainingSequence => {
      return { promptTokens: [first, 2, 3, 4, 5], completionTokens: [1, 2, 3, 4] };
    });
    const gradients = new Gradients(kernels);
    const pass = (): void =>
      kernels.scope(() => {
        const forward = trainForward(model, packBatch(kernels, sequences), input.recompute);
        trainBackward(model, forward, kernels.upload(new Float64Array(12).fill(1), [12], "full"), gradients);
      });
    pass();
    expect(meter.bytes()).toBe(plan.weights + plan.gradients);
    meter.startPeak();
    pass();
    expect(meter.peak()).toBe(plan.weights + plan.gradients + plan.activations + plan.headWorkspace);

    const optimizer = new AdamW(kernels, input.optimizer);
    meter.startPeak();
    await optimizer.step(model, gradients.byName, conformanceOptimizer);
    expect(meter.peak()).toBeLessThanOrEqual(plan.training);
    gradients.clear();
    expect(meter.bytes()).toBe(plan.weights + plan.optimizerMoments);
  },
);

test("sampling holds the planned caches, and no more than the planned workspace", async () => {
  for (const json of [...Object.values(tinyConfigs), ...Object.values(familyConfigs)]) {
    const config = parseModelConfig(json);
    const meter = metered(createReferenceKernels(), Infinity, new MeasuredKernels("float64", { sharing: true }));
    const plan = planMemory(config, {
      ...settings,
      rollouts: 4,
      cachePageSize: meter.kernels.cachePageSize as number,
    });
    const model = uploadModel(meter.kernels, config, randomParameters(config, 1));
    const before = meter.bytes();
    meter.startPeak();
    // Prompts that share nothing: all are computed.
    const requests = [1, 2, 3, 4].map((first) => ({
      promptTokens: [first, 1, 2, 3, 0],
      sampling: { temperature: 1, maxTokens: 4 },
      stopTokens: [],
      random: randomFromSeed(first).state(),
    }));
    await new RunningBatch(model).sample(requests, 0);
    const held = meter.peak() - before;
    expect(held).toBeLessThanOrEqual(plan.keyValueCache + plan.samplingWorkspace);
    expect(held).toBeGreaterThan(0.6 * (plan.keyValueCache + plan.samplingWorkspace));
  }
});

test("plans the parts of Qwen2.5-0.5B in bfloat16, full and LoRA", () => {
  const config = parseModelConfig(qwenHalfBillion);
  const parameters = 494_032_768; // as the model card counts
  const input = { ...settings, dtype: "bfloat16", promptTokens: 512, completionTokens: 512, rollouts: 64 } as const;
  const full = planMemory(config, input);
  const tables = 2 * 32_768 * 32 * 2;
  expect(full.weights).toBe(2 * parameters + tables);
  expect(full.snapshots).toBe(2 * parameters);
  expect(full.masterWeights).toBe(4 * parameters);
  expect(full.gradients).toBe(4 * parameters);
  expect(full.optimizerMoments).toBe(8 * parameters);
  // Keys and values of 2 heads of 64 in 24 layers.
  expect(full.keyValueCache).toBe(64 * 1024 * 24 * 2 * 2 * 64 * 2);
  expect(full.peak).toBe(Math.max(full.training, full.sampling));
  // Of each layer qkv, gate and up, and down; o has fewer numbers than the least, the head more than the most.
  const exact = { ...input, dtype: "float32" } as const;
  const packed = planMemory(config, { ...exact, packedWeights: [850_000, 2 ** 24] });
  const layer = 896 * (14 + 2 + 2) * 64 + 3 * 896 * 4864;
  expect(packed.sampling - planMemory(config, exact).sampling).toBe(24 * 4 * layer);
  expect(packed.training).toBe(planMemory(config, exact).training);
  expect(planMemory(config, { ...input, packedWeights: [1, 2 ** 24] })).toEqual(full);
  const [retained, recomputed] = (["none", "layer"] as const).map(
    (recompute) => planMemory(config, { ...input, microBatch: 16, recompute }).activations,
  ) as [number, number];
  expect(recomputed).toBeLessThan(0.25 * retained);

  const adapter = planMemory(config, { ...input, lora: { rank: 16, alpha: 32 } });
  const perLayer = 16 * (2 * (896 + 896) + 2 * (896 + 128) + 3 * (896 + 4864));
  expect(adapter.gradients).toBe(4 * 24 * perLayer);
  expect(adapter.weights).toBe(full.weights + 2 * 24 * perLayer);
  expect(adapter.training).toBeLessThan(full.training);
});

test("the largest batches fit, and larger ones do not", () => {
  const config = parseModelConfig(Object.values(tinyConfigs)[0] as Record<string, unknown>);
  for (const memory of [200_000, 1_000_000, 12_345_678]) {
    const { microBatch, rollouts } = largestBatches(config, settings, memory);
    const peak = (changes: Partial<MemorySettings>): number => planMemory(config, { ...settings, ...changes }).peak;
    expect(peak({ microBatch, rollouts })).toBeLessThanOrEqual(memory);
    expect(peak({ microBatch: microBatch + 1 })).toBeGreaterThan(memory);
    expect(peak({ microBatch: 0, rollouts: rollouts + 1 })).toBeGreaterThan(memory);
  }
  expect(largestBatches(config, settings, 1000)).toEqual({ microBatch: 0, maxTokensPerMicroBatch: 0, rollouts: 0 });
});

test("measured passes leave nothing on the device, and deeper models take longer by the layer", async () => {
  const json = Object.values(tinyConfigs)[0] as Record<string, unknown>;
  const kernels = createReferenceKernels();
  // A clock that counts the operations of the kernels: every pass takes the same time again.
  let calls = 0;
  const counting = new Proxy(kernels, {
    get: (target, key) => {
      calls += 1;
      return Reflect.get(target, key) as unknown;
    },
  });
  const measure = (layers: number, change: Partial<MemorySettings> = {}): ReturnType<typeof measurePasses> =>
    measurePasses(
      counting,
      parseModelConfig({ ...json, num_hidden_layers: layers }),
      { ...settings, rollouts: 2, ...change },
      () => calls,
    );
  const [two, three, four] = [await measure(2), await measure(3), await measure(4)];
  for (const pass of ["training", "forward", "decodeStep"] as const) {
    expect(three[pass] - two[pass]).toBeGreaterThan(10);
    expect(four[pass] - three[pass]).toBeCloseTo(three[pass] - two[pass], 9);
  }
  expect(two.training).toBeGreaterThan(two.forward);
  expect((await measure(2, { lora })).training).toBeGreaterThan(two.training);
  expect(kernels.liveTensors()).toBe(0);
});
