import { randomFromSeed, type SampleRequest, type UnknownRecord } from "@laconic/core";
import type { Kernels } from "../kernels/index.ts";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import { expect, test } from "vitest";
import { randomParameters, tinyConfigs } from "../testing/tiny-models.ts";
import { parseModelConfig } from "../transformer/model-config.ts";
import { positionBytes } from "./cache-bytes.ts";
import { RunningBatch, type GenerationLimits } from "./running-batch.ts";
import { metered } from "../testing/metered-kernels.ts";
import { uploadModel } from "../testing/model-values.ts";

const config = parseModelConfig(Object.values(tinyConfigs)[0] as UnknownRecord);
const parameters = randomParameters(config, 1);
const perPosition = positionBytes(config, "float64");

const caches = [
  { kind: "pages", pageSize: 4 },
  { kind: "rows", pageSize: null },
] as const;

/** Six replies of ten tokens; those with the same prompt share it. */
const requests: readonly SampleRequest[] = Array.from({ length: 6 }, (_, i) => ({
  promptTokens: i < 3 ? Array.from({ length: 18 }, (__, index) => 1 + (index % 5)) : [1 + i, 2, 3],
  sampling: { temperature: 1, maxTokens: 10 },
  stopTokens: [],
  random: randomFromSeed(i).state(),
}));

interface Seen {
  /** New tokens of each call of the first layer. */
  readonly passes: number[];
  readonly draws: number[];
}

async function replies(pageSize: number | null, limits: Partial<GenerationLimits>): Promise<Seen & { said: unknown }> {
  const seen: Seen = { passes: [], draws: [] };
  const inner = createReferenceKernels();
  let layers = 0;
  const kernels: Kernels = {
    ...inner,
    cachePageSize: pageSize,
    attentionCached(q, ...rest) {
      if (layers++ % config.layers === 0) seen.passes.push(q.shape[0] as number);
      return inner.attentionCached(q, ...rest);
    },
    sampleTokens(logits, settings) {
      seen.draws.push(logits.shape[0] as number);
      return inner.sampleTokens(logits, settings);
    },
  };
  const before = kernels.liveTensors();
  const model = uploadModel(kernels, config, parameters);
  const weights = kernels.liveTensors() - before;
  const messages = await new RunningBatch(model, limits).sample(requests, 0);
  expect(kernels.liveTensors() - before).toBe(weights);
  return { ...seen, said: messages };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

test.each(caches)(
  "$kind: a reply that released its pages continues with equal tokens, log-probs and draws",
  async ({ pageSize }) => {
    const free = await replies(pageSize, { cache: { bytes: 1e9 } });
    // Room for all prompts and some tokens each, but not for all replies; large caches grow by need.
    for (const positions of [40, 60, 80, 100]) {
      const tight = await replies(pageSize, { cache: { bytes: positions * perPosition } });
      expect(tight.said).toEqual(free.said);
      // A draw for each token and no more, though more is computed.
      expect(sum(tight.draws)).toBe(60);
      expect(sum(tight.passes)).toBeGreaterThanOrEqual(sum(free.passes));
    }
  },
);

test("replies release their pages under pressure and are recomputed", async () => {
  const free = await replies(4, { cache: { bytes: 1e9 } });
  const tight = await replies(4, { cache: { bytes: 72 * perPosition } });
  expect(tight.said).toEqual(free.said);
  expect(sum(tight.passes)).toBeGreaterThan(sum(free.passes));
});

test("a cache too large for the device restarts smaller, and the replies remain", async () => {
  const expected = (await replies(4, { cache: { bytes: 1e9 } })).said;
  const roomy = metered(createReferenceKernels());
  await new RunningBatch(uploadModel(roomy.kernels, config, parameters), { cache: { bytes: 1e9 } }).sample(requests, 0);
  const tight = metered(createReferenceKernels(), roomy.peak() - 40 * perPosition);
  const batch = new RunningBatch(uploadModel(tight.kernels, config, parameters), { cache: { bytes: 1e9 } });
  expect(await batch.sample(requests, 0)).toEqual(expected);
});
