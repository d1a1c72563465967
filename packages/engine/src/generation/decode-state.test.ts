import { randomFromSeed, type SampleResult, type UnknownRecord } from "@laconic/core";
import type { Kernels } from "../kernels/index.ts";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { randomParameters, tinyConfigs } from "../testing/tiny-models.ts";
import { parseModelConfig } from "../transformer/model-config.ts";
import { type ModelOnDevice } from "../transformer/model-on-device.ts";
import { RunningBatch } from "./running-batch.ts";
import { UniformStream } from "./reply.ts";
import { request, uploadModel } from "../testing/model-values.ts";

const config = parseModelConfig({
  ...(Object.values(tinyConfigs)[0] as UnknownRecord),
  max_position_embeddings: 256,
});
const parameters = randomParameters(config, 1);

function tinyModel(kernels: Kernels = createReferenceKernels()): ModelOnDevice {
  return uploadModel(kernels, config, parameters);
}

const anyRequest = fc
  .record({
    promptTokens: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 9 }),
    temperature: fc.constantFrom(0, 0.5, 1, 2),
    topK: fc.constantFrom(0, 3, 100),
    topP: fc.constantFrom(0.5, 1),
    maxTokens: fc.integer({ min: 1, max: 12 }),
    topLogProbs: fc.constantFrom(undefined, 0, 2),
    seed: fc.integer(),
  })
  .map(({ promptTokens, seed, topLogProbs, ...sampling }) =>
    request(seed, { promptTokens, sampling, ...(topLogProbs !== undefined && { topLogProbs }) }),
  );

test("replies are bit-identical if the device runs a step ahead of the host, and nothing remains", async () => {
  const kernels = createReferenceKernels();
  const model = tinyModel(kernels);
  const before = kernels.liveTensors();
  const joining = fc.tuple(fc.array(anyRequest, { minLength: 1, maxLength: 5 }), fc.nat(10));
  await fc.assert(
    fc.asyncProperty(fc.array(joining, { minLength: 1, maxLength: 3 }), async (calls) => {
      const generate = async (stepsAhead: 0 | 1): Promise<SampleResult[][]> => {
        const batch = new RunningBatch(model, { stepsAhead, prefillTokens: 20, prefillTokensBetween: 7 });
        return Promise.all(
          calls.map(async ([requests, turns], id) => {
            for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
            return batch.sample(requests, id);
          }),
        );
      };
      expect(await generate(1)).toEqual(await generate(0));
      expect(kernels.liveTensors()).toBe(before);
    }),
    { seed: 1, numRuns: 40 },
  );
});

test("long replies draw on when the uniform numbers of a row have been used up", async () => {
  const model = tinyModel();
  const sampling = { temperature: 1, maxTokens: 150 };
  const long = [1, 2, 3].map((seed) => request(seed, { sampling, stopTokens: [] }));
  const late = request(4, { sampling: { temperature: 1, maxTokens: 100 }, stopTokens: [] });
  const alone = await Promise.all([...long, late].map((one) => new RunningBatch(model).sample([one], 0)));
  for (const stepsAhead of [0, 1] as const) {
    const batch = new RunningBatch(model, { stepsAhead });
    const first = batch.sample(long, 0);
    for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
    const together = [...(await first), ...(await batch.sample([late], 1))];
    expect(together).toEqual(alone.flat());
  }
});

test("while the same replies decode, a step uploads nothing", async () => {
  const kernels = createReferenceKernels();
  let uploads = 0;
  const counting: Kernels = {
    ...kernels,
    // With a page for each row no table changes.
    cachePageSize: null,
    upload: (...args) => {
      uploads += 1;
      return kernels.upload(...args);
    },
  };
  const model = { ...tinyModel(kernels), kernels: counting };
  const uploadsFor = async (maxTokens: number): Promise<number> => {
    uploads = 0;
    const sampling = { temperature: 1, topK: 3, maxTokens };
    const requests = [1, 2, 3, 4].map((seed) => request(seed, { sampling, stopTokens: [] }));
    await new RunningBatch(model).sample(requests, 0);
    return uploads;
  };
  expect(await uploadsFor(50)).toBe(await uploadsFor(5));
});

test("the number of a place is the same however it is asked for, and is the stream's own", () => {
  const random = randomFromSeed(7);
  const expected = Array.from({ length: 5 }, () => random.uniform());
  const stream = new UniformStream(randomFromSeed(7));
  expect([4, 0, 2, 3, 1].map((index) => stream.at(index))).toEqual([4, 0, 2, 3, 1].map((index) => expected[index]));
});
