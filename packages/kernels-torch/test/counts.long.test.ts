import { randomFromSeed, type TrainableModel } from "@laconic/core";
import { createInlineEngine } from "@laconic/engine";
import type { KernelCounters, Kernels } from "@laconic/engine/kernels";
import { standInKernels, type StandInOptions } from "@laconic/kernels-torch/testing";
import { expect, test } from "vitest";
import { narrowQwen } from "../../../test/qwen-half-billion.ts";

const layers = 24;

function difference(after: KernelCounters, before: KernelCounters): KernelCounters {
  const entries = Object.entries(after) as [keyof KernelCounters, number][];
  return Object.fromEntries(entries.map(([key, value]) => [key, value - before[key]])) as unknown as KernelCounters;
}

interface StandInModel {
  readonly model: TrainableModel;
  readonly kernels: Kernels;
  readonly now: () => KernelCounters;
}

async function standInModel(options: StandInOptions): Promise<StandInModel> {
  const { kernels } = standInKernels(options);
  const engine = await createInlineEngine([kernels]);
  const model = await engine.createModel({ kind: "config", config: narrowQwen, seed: 1 });
  return { model, kernels, now: () => kernels.counters?.() as KernelCounters };
}

/** What one decode step of 256 rows costs while the same rows decode: between a run of 40 steps and one of 30. */
async function decodeStep(sampling: object, options: StandInOptions = {}): Promise<KernelCounters> {
  const { model, now } = await standInModel(options);
  const run = async (maxTokens: number): Promise<KernelCounters> => {
    const before = now();
    await model.sample(
      Array.from({ length: 256 }, (_, seed) => ({
        promptTokens: Array.from({ length: 1 + (seed % 7) }, () => 1),
        sampling: { temperature: 1, ...sampling, maxTokens },
        stopTokens: [],
        random: randomFromSeed(seed).state(),
      })),
    );
    return difference(now(), before);
  };
  // The first run uploads what is kept with the model.
  await run(2);
  const [short, long] = [await run(30), await run(40)];
  const ten = difference(long, short);
  return Object.fromEntries(Object.entries(ten).map(([key, value]) => [key, value / 10])) as unknown as KernelCounters;
}

test("counts calls, copies and bytes of a decode step of 256 rows on CUDA", async () => {
  const step = await decodeStep({});
  expect(step.nativeCalls).toBeLessThanOrEqual(1300);
  // 15 in a layer; the rest is drawing, and what all layers share.
  expect(step.operations).toBeLessThanOrEqual(15 * layers + 60);
  expect(step.blockingCopies).toBe(0);
  expect(step.bytesToDevice).toBe(0);
  // Token and log-prob of each row.
  expect(step.bytesToHost).toBe(256 * 8);
});

test("temperature, top-k, top-p and min-p upload nothing and do not block the host", async () => {
  const step = await decodeStep({ temperature: 0.8, topK: 50, topP: 0.95, minP: 0.01 });
  expect(step.bytesToDevice).toBe(0);
  expect(step.blockingCopies).toBe(0);
});
