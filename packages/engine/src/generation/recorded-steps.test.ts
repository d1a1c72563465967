import { randomFromSeed, type SampleRequest, type SampleResult } from "@laconic/core";
import type { Kernels } from "../kernels/index.ts";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { recorderCases } from "../testing/cases/recorder-cases.ts";
import { withRepeatingRecorder } from "../testing/repeating-recorder.ts";
import { randomParameters, tinyConfigs } from "../testing/tiny-models.ts";
import { parseModelConfig } from "../transformer/model-config.ts";
import { uploadModel } from "../transformer/model-on-device.ts";
import { RunningBatch } from "./running-batch.ts";

const config = parseModelConfig({
  ...(Object.values(tinyConfigs)[0] as Readonly<Record<string, unknown>>),
  max_position_embeddings: 256,
});
const parameters = randomParameters(config, 1);

test.for(recorderCases)("a set that does again what it was shown: $name", (item) =>
  item.run(() => withRepeatingRecorder(createReferenceKernels())),
);

const anyRequest = fc
  .record({
    promptTokens: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 9 }),
    temperature: fc.constantFrom(0, 0.5, 1, 2),
    topK: fc.constantFrom(0, 0, 3, 100),
    topP: fc.constantFrom(0.5, 1, 1, 1),
    maxTokens: fc.integer({ min: 1, max: 80 }),
    topLogProbs: fc.constantFrom(undefined, undefined, undefined, 0, 2),
    seed: fc.integer(),
  })
  .map(({ promptTokens, seed, topLogProbs, ...sampling }): SampleRequest => ({
    promptTokens,
    sampling,
    stopTokens: [0],
    random: randomFromSeed(seed).state(),
    ...(topLogProbs !== undefined && { topLogProbs }),
  }));

test("replies are the same, bit for bit, with steps that are recorded, and nothing stays behind", async () => {
  const kernels = createReferenceKernels();
  const model = uploadModel(kernels, config, parameters);
  const before = kernels.liveTensors();
  const joining = fc.tuple(fc.array(anyRequest, { minLength: 1, maxLength: 6 }), fc.nat(40));
  let replayed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(joining, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(0 as const, 1 as const),
      fc.integer(),
      async (calls, stepsAhead, seed) => {
        const generate = async (set: Kernels): Promise<SampleResult[][]> => {
          const limits = { stepsAhead, prefillTokens: 20, prefillTokensBetween: 7 };
          const batch = new RunningBatch({ ...model, kernels: set }, limits);
          return Promise.all(
            calls.map(async ([requests, turns], id) => {
              for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
              return batch.sample(requests, id);
            }),
          );
        };
        const random = randomFromSeed(seed);
        const set = withRepeatingRecorder(kernels, () => random.integer(8) === 0);
        expect(await generate(set)).toEqual(await generate(kernels));
        expect(kernels.liveTensors()).toBe(before);
        replayed += set.recorder.counts.replayed;
      },
    ),
    { seed: 1, numRuns: 12 },
  );
  expect(replayed).toBeGreaterThan(50);
});
