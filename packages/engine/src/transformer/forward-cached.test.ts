import { createReferenceKernels } from "../kernels/testing/index.ts";
import type { CachePlan, Kernels, KeyValueCache } from "../kernels/index.ts";
import { expect, test } from "vitest";
import { randomParameters, tinyConfigs } from "../testing/tiny-models.ts";
import { forwardCached } from "./forward-cached.ts";
import { parseModelConfig, type ModelConfig } from "./model-config.ts";
import { freeModel } from "./model-on-device.ts";
import { packBatch, sequenceLayout } from "./packed-batch.ts";
import { trainForward } from "./train-pass.ts";
import { uploadModel } from "../testing/model-values.ts";

function cachesFor(kernels: Kernels, config: ModelConfig, pages: number, pageSize: number): KeyValueCache[] {
  const { kvHeads, headDim } = config;
  return Array.from({ length: config.layers }, () => kernels.createCache({ pages, pageSize, kvHeads, headDim }));
}

function planOf(
  kernels: Kernels,
  lengths: readonly number[],
  rows: readonly number[],
  past: readonly number[],
): CachePlan {
  const offsets = [0];
  for (const length of lengths) offsets.push((offsets.at(-1) as number) + length);
  return {
    layout: sequenceLayout(kernels, offsets),
    table: Int32Array.from(rows),
    tableOnDevice: kernels.upload(Int32Array.from(rows), [rows.length, 1]),
    past: Int32Array.from(past),
    pastOnDevice: kernels.upload(Int32Array.from(past), [past.length]),
  };
}

test.for(Object.keys(tinyConfigs))("prefill and decode see what training sees: %s", async (name) => {
  const kernels = createReferenceKernels();
  const config = parseModelConfig(tinyConfigs[name] ?? {});
  const model = uploadModel(kernels, config, randomParameters(config, name));
  const caches = cachesFor(kernels, config, 3, 8);

  const sequences = [
    { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5, 2] },
    { promptTokens: [5], completionTokens: [3, 1] },
  ];
  const trained = kernels.scope(() => trainForward(model, packBatch(kernels, sequences)).logProbs);
  const expected = Array.from(await kernels.read(trained));

  async function step(
    tokens: readonly number[],
    plan: CachePlan,
    rows: readonly number[],
    targets: readonly number[],
  ): Promise<number[]> {
    const logits = forwardCached(model, Int32Array.from(tokens), caches, plan, Int32Array.from(rows));
    expect(logits.shape).toEqual([rows.length, config.vocabularySize]);
    const values = Array.from(await kernels.read(logits));
    kernels.free(logits);
    return targets.map((target, i) => {
      const row = values.slice(i * config.vocabularySize, (i + 1) * config.vocabularySize);
      const top = Math.max(...row);
      return (row[target] as number) - top - Math.log(row.reduce((sum, logit) => sum + Math.exp(logit - top), 0));
    });
  }

  // Both prompts at once, logits asked for in reverse; then both rows, then one row, then two tokens of one row.
  const [secondFirst, firstFirst] = await step([1, 2, 3, 5], planOf(kernels, [3, 1], [2, 0], [0, 0]), [3, 2], [3, 4]);
  const both = await step([3, 4], planOf(kernels, [1, 1], [0, 2], [1, 3]), [0, 1], [1, 0]);
  const rest = await step([0, 5], planOf(kernels, [2], [2], [4]), [0, 1], [5, 2]);
  const matches = [firstFirst, both[1], rest[0], rest[1], secondFirst, both[0]];
  matches.forEach((value, i) => expect(value).toBeCloseTo(expected[i] as number, 12));

  for (const cache of caches) kernels.freeCache(cache);
  freeModel(model);
});

test("a call leaves only its logits behind", () => {
  const kernels = createReferenceKernels();
  const config = parseModelConfig(tinyConfigs["qwen3, tied head"] ?? {});
  const model = uploadModel(kernels, config, randomParameters(config, 1));
  const caches = cachesFor(kernels, config, 1, 2);
  const plan = planOf(kernels, [2], [0], [0]);
  const before = kernels.liveTensors();
  kernels.free(forwardCached(model, Int32Array.of(1, 2), caches, plan, Int32Array.of(1)));
  expect(kernels.liveTensors()).toBe(before);
});
