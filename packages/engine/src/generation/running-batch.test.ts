import type { SampleRequest, SampleResult, UnknownRecord } from "@laconic/core";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { Kernels, Tensor } from "../kernels/index.ts";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import { randomParameters, tinyConfigs } from "../testing/tiny-models.ts";
import { parseModelConfig } from "../transformer/model-config.ts";
import { freeModel, type ModelOnDevice } from "../transformer/model-on-device.ts";
import { RunningBatch, type GenerationLimits } from "./running-batch.ts";
import { metered } from "../testing/metered-kernels.ts";
import { request, uploadModel } from "../testing/model-values.ts";

const config = parseModelConfig(Object.values(tinyConfigs)[0] as UnknownRecord);
const parameters = randomParameters(config, 1);

const caches = [
  ["pages", createReferenceKernels],
  ["rows", (): Kernels => ({ ...createReferenceKernels(), cachePageSize: null })],
] as const;

function tinyModel(kernels: Kernels = createReferenceKernels()): ModelOnDevice {
  return uploadModel(kernels, config, parameters);
}

function rowsOf(
  kernels: Kernels,
  operation: "attentionCached" | "sampleTokens",
): { counting: Kernels; rows: number[] } {
  const rows: number[] = [];
  const run = kernels[operation] as (first: Tensor, ...rest: readonly unknown[]) => never;
  const noted = (first: Tensor, ...rest: readonly unknown[]): never => {
    rows.push(first.shape[0] as number);
    return run(first, ...rest);
  };
  return { counting: { ...kernels, [operation]: noted }, rows };
}

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function cutTo({ tokens, logProbs, ...rest }: SampleResult, length: number): SampleResult {
  return { ...rest, tokens: tokens.slice(0, length), logProbs: logProbs.slice(0, length), finishReason: "aborted" };
}

function generate(
  model: ModelOnDevice,
  requests: readonly SampleRequest[],
  limits?: Partial<GenerationLimits>,
): Promise<SampleResult[]> {
  return new RunningBatch(model, limits).sample(requests, 0);
}

test.each(caches)(
  "%s: a reply is the same, bit for bit, whatever else is in the batch and however it is cut",
  async (_kind, create) => {
    const model = tinyModel(create());
    const token = fc.integer({ min: 1, max: 4 });
    const anyRequest = fc
      .record({
        promptTokens: fc.array(token, { minLength: 1, maxLength: 20 }),
        temperature: fc.constantFrom(0, 0.5, 1, 2),
        topK: fc.constantFrom(1, 3, 100),
        topP: fc.constantFrom(0.3, 0.9, 1),
        minP: fc.constantFrom(0, 0.2),
        maxTokens: fc.integer({ min: 1, max: 5 }),
        seed: fc.integer(),
      })
      .map(({ promptTokens, seed, ...sampling }) => request(seed, { promptTokens, sampling }));
    const limits = fc.record({
      cache: fc.record({ bytes: fc.constantFrom(1, 4000, 1e7) }),
      prefillTokens: fc.constantFrom(1, 7, 1000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyRequest, { minLength: 1, maxLength: 6 }), limits, async (requests, item) => {
        const alone = await Promise.all(requests.map(async (one) => (await generate(model, [one]))[0]));
        expect(await generate(model, requests, item)).toEqual(alone);
      }),
      { seed: 1, numRuns: 40 },
    );
  },
);

test.each(caches)(
  "%s: requests join, reuse cached prefixes and are cancelled at any time without an effect on others",
  async (_kind, create) => {
    const kernels = create();
    const model = tinyModel(kernels);
    const before = kernels.liveTensors();
    const prefix = Array.from({ length: 20 }, (_, i) => 1 + (i % 4));
    const visit = fc.record({
      prompt: fc.tuple(fc.nat(20), fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })),
      maxTokens: fc.integer({ min: 1, max: 6 }),
      conversation: fc.constantFrom(undefined, "a", "b"),
      joins: fc.nat(12),
      cancelled: fc.option(fc.nat(12)),
      seed: fc.nat(),
    });
    const limits = fc.record({
      cache: fc.record({ bytes: fc.constantFrom(1, 16_000, 1e7) }),
      prefillTokens: fc.constantFrom(3, 1000),
      prefillTokensBetween: fc.constantFrom(1, 5, 1000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(visit, { minLength: 1, maxLength: 8 }), limits, async (visits, item) => {
        const batch = new RunningBatch(model, item);
        const outcomes = await Promise.all(
          visits.map(async ({ prompt: [shared, rest], maxTokens, conversation, joins, cancelled, seed }, id) => {
            const promptTokens = [...prefix.slice(0, shared), ...rest];
            const plain = request(seed, { promptTokens, sampling: { temperature: 1, maxTokens } });
            for (let turn = 0; turn < joins; turn++) await turnOfLoop();
            const sampled = batch.sample([{ ...plain, ...(conversation && { conversation }) }], id);
            for (let turn = 0; turn < (cancelled ?? 0); turn++) await turnOfLoop();
            if (cancelled !== null) batch.cancel(id, 0);
            const [alone] = await generate(model, [plain]);
            return { said: (await sampled)[0] as SampleResult, alone: alone as SampleResult };
          }),
        );
        for (const { said, alone } of outcomes)
          expect(said).toEqual(said.finishReason === "aborted" ? cutTo(alone, said.tokens.length) : alone);
        batch.releaseKept();
        expect(kernels.liveTensors()).toBe(before);
      }),
      { seed: 1, numRuns: 100 },
    );
  },
);

test.each(caches)("%s: a turn of a conversation computes only what its prefix does not hold", async (_kind, create) => {
  const { counting, rows } = rowsOf(create(), "attentionCached");
  const batch = new RunningBatch(tinyModel(counting));
  const promptTokens = Array.from({ length: 20 }, (_, i) => 1 + (i % 9));
  const turn = { conversation: "c", stopTokens: [], sampling: { temperature: 1, maxTokens: 1 } };
  const [first] = await batch.sample([request(1, { ...turn, promptTokens })], 0);
  const longer = [...promptTokens, ...(first?.tokens ?? []), 7];
  await batch.sample([request(2, { ...turn, promptTokens: longer }), request(3, { ...turn, promptTokens: longer })], 1);
  await batch.sample([request(2, { ...turn, promptTokens: longer, conversation: "other" })], 2);
  // In each of the two layers: the prompt; the reply and the question after it, once for both; all of it.
  expect(rows).toEqual([20, 20, 2, 2, 22, 22]);
  batch.releaseKept();
});

test.each(caches)("%s: kept prefixes stay within their bytes: the newest ones", async (kind, create) => {
  const capacity = kind === "rows" ? 22 : 24; // the prompts' 20 tokens and a reply of 2
  const rowBytes = 8 * capacity * 2 * config.layers * config.kvHeads * config.headDim;
  const keptPrefixes = { maxBytes: 2.5 * rowBytes, maxAgeSeconds: Infinity };
  const { counting, rows } = rowsOf(create(), "attentionCached");
  const batch = new RunningBatch(tinyModel(counting), { keptPrefixes });
  const promptTokens = Array.from({ length: 20 }, (_, i) => 1 + (i % 9));
  const ask = async (conversation: string): Promise<number> => {
    rows.length = 0;
    const sampling = { temperature: 1, maxTokens: 2 };
    await batch.sample([request(1, { conversation, promptTokens, sampling, stopTokens: [] })], 0);
    return rows[0] as number;
  };
  for (const conversation of ["a", "b", "c"]) expect(await ask(conversation)).toBe(20);
  // Two rows are within the bytes: of "a", the oldest, nothing is left.
  expect(await ask("c")).toBe(1);
  expect(await ask("b")).toBe(1);
  expect(await ask("a")).toBe(20);
  batch.releaseKept();
});

test("cached prefixes expire without a request", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const kernels = createReferenceKernels();
    const model = tinyModel(kernels);
    const before = kernels.liveTensors();
    const batch = new RunningBatch(model, { keptPrefixes: { maxBytes: Infinity, maxAgeSeconds: 60 } });
    await batch.sample([request(1, { conversation: "a" })], 0);
    vi.advanceTimersByTime(40_000);
    await batch.sample([request(2, { conversation: "b" })], 1);
    vi.advanceTimersByTime(59_000);
    expect(kernels.liveTensors()).toBeGreaterThan(before);
    vi.advanceTimersByTime(2000);
    expect(kernels.liveTensors()).toBe(before);
  } finally {
    vi.useRealTimers();
  }
});

test.each(caches)(
  "%s: where the device has no room, fewer rows are taken at a time, and the replies stay",
  async (_kind, create) => {
    const prompt = (seed: number): number[] => Array.from({ length: 12 }, (_, i) => 1 + ((seed + i * seed) % 9));
    const asked = [1, 2, 3, 4, 5, 6].map((seed) => request(seed, { promptTokens: prompt(seed), stopTokens: [] }));
    const free = metered(create());
    const expected = await generate(tinyModel(free.kernels), asked);
    const tight = metered(create(), Math.floor(0.9 * free.peak()));
    expect(await generate(tinyModel(tight.kernels), asked)).toEqual(expected);
    expect(tight.peak()).toBeLessThan(free.peak());
  },
);

test("a long shared prefix is computed once", async () => {
  const { counting, rows } = rowsOf(createReferenceKernels(), "attentionCached");
  const prefix = Array.from({ length: 18 }, (_, i) => 1 + (i % 9));
  const prompts = [[...prefix, 5], [...prefix, 5], [...prefix, 6, 7], [3]];
  const requests = prompts.map((promptTokens, i) =>
    request(i, { promptTokens, sampling: { temperature: 1, maxTokens: 1 } }),
  );
  await generate(tinyModel(counting), requests);
  // Level by level, in each of the two layers: the prefix and the short prompt, then the two endings.
  expect(rows).toEqual([19, 19, 3, 3]);
});

test("finished rows leave the batch", async () => {
  const { counting, rows } = rowsOf(createReferenceKernels(), "sampleTokens");
  const lengths = [1, 3, 2, 3];
  const results = await generate(
    tinyModel(counting),
    lengths.map((maxTokens, i) => request(i, { sampling: { temperature: 1, maxTokens }, stopTokens: [] })),
  );
  expect(results.map(({ tokens }) => tokens.length)).toEqual(lengths);
  expect(results.map(({ finishReason }) => finishReason)).toEqual(["length", "length", "length", "length"]);
  expect(rows).toEqual([4, 3, 2]);
});

test("a stop sequence ends a reply and is kept, also across steps", async () => {
  const model = tinyModel();
  const [free] = await generate(model, [request(3, { stopTokens: [] })]);
  const tokens = free?.tokens ?? [];
  expect(tokens).toHaveLength(6);
  const stop = tokens.slice(1, 3);
  const [stopped] = await generate(model, [request(3, { stopTokens: [], stopSequences: [[99, 1], [], stop] })]);
  expect(stopped).toEqual({
    ...free,
    tokens: tokens.slice(0, 3),
    logProbs: free?.logProbs.slice(0, 3),
    finishReason: "stop",
  });
});

test("a reply ends with the model's last position", async () => {
  const promptTokens = Array.from({ length: config.maxPositions - 2 }, () => 1);
  const [result] = await generate(tinyModel(), [
    request(0, { promptTokens, sampling: { temperature: 1, maxTokens: 50 }, stopTokens: [] }),
  ]);
  expect(result).toMatchObject({ finishReason: "length" });
  expect(result?.tokens).toHaveLength(2);
});

test("nothing stays on the device, also when a step fails", async () => {
  const kernels = createReferenceKernels();
  const model = tinyModel(kernels);
  const before = kernels.liveTensors();
  await generate(model, [request(1), request(2, { promptTokens: [4, 4] })]);
  expect(kernels.liveTensors()).toBe(before);
  const failing: Kernels = { ...kernels, sampleTokens: () => kernels.reshape(kernels.zeros([1]), [2]) as never };
  await expect(generate({ ...model, kernels: failing }, [request(1)])).rejects.toFailWith("input_invalid");
  expect(kernels.liveTensors()).toBe(before);
  freeModel(model);
});
