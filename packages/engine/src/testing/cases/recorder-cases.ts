import { randomFromSeed, type SampleRequest, type SampleResult } from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";
import type { Kernels } from "../../kernels/index.ts";
import { createInlineEngine } from "../../local/local-engine.ts";

/** Heads that flash attention takes. */
const config: Readonly<Record<string, unknown>> = {
  model_type: "qwen2",
  vocab_size: 40,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 512,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  initializer_range: 0.2,
};

const kinds: readonly Omit<SampleRequest["sampling"], "maxTokens">[] = [
  { temperature: 1 },
  { temperature: 0 },
  { temperature: 0.7, topK: 20, topP: 0.9, minP: 0.01 },
  { temperature: 1, topP: 0.9 },
];

/** All of one length, so that the number of rows stays one that is not rounded up: other products may sum otherwise. */
function requests(rows: number, sampling: (typeof kinds)[number], maxTokens: number): SampleRequest[] {
  const random = randomFromSeed(rows);
  return Array.from({ length: rows }, (_, row) => ({
    promptTokens: Array.from({ length: 3 + (row % 5) }, () => random.integer(40)),
    sampling: { ...sampling, maxTokens },
    stopTokens: [],
    random: random.split(row).state(),
  }));
}

async function withModel<T>(
  kernels: Kernels,
  work: (model: Awaited<ReturnType<Awaited<ReturnType<typeof createInlineEngine>>["createModel"]>>) => Promise<T>,
): Promise<T> {
  const engine = await createInlineEngine([kernels]);
  try {
    return await work(await engine.createModel({ kind: "config", config, seed: 1 }));
  } finally {
    await engine.close();
  }
}

/** The same work with the set's recorder and without, on sets of their own. */
async function bothWays(
  create: () => Kernels | Promise<Kernels>,
  work: Parameters<typeof withModel<readonly SampleResult[]>>[1],
): Promise<void> {
  const { recorder: _, ...plain } = await create();
  const expected = await withModel(plain, work);
  const set = await create();
  const actual = await withModel(set, work);
  expected.forEach(({ tokens, logProbs }, i) => {
    const other = actual[i];
    expectThat(
      other?.tokens.join() === tokens.join(),
      `reply ${i} to be ${tokens.join()}, got ${other?.tokens.join()}`,
    );
    expectThat(other?.logProbs.join() === logProbs.join(), `the log-probs of reply ${i} to be the same bits`);
  });
  const counts = set.recorder?.counts;
  expectThat((counts?.replayed ?? 0) > 0, `steps to be replayed, got ${JSON.stringify(counts)}`);
}

/** What a kernel set with a recorder must do: decode as it does without, bit for bit. Each case creates sets and disposes of them. */
export const recorderCases: readonly ConformanceCase<Kernels>[] = [
  {
    name: "replies of every kind of sampling are the same with recorded steps and without",
    run: (create) =>
      bothWays(create, async (model) => {
        const replies: SampleResult[] = [];
        for (const rows of [1, 4])
          for (const sampling of kinds) replies.push(...(await model.sample(requests(rows, sampling, 20))));
        return replies;
      }),
  },
  {
    name: "the same over several fillings of the uniform numbers, while the cache grows",
    run: (create) => bothWays(create, (model) => model.sample(requests(4, { temperature: 1 }, 180))),
  },
  {
    name: "the same around a pass of training, and beside replies that want log-probs of other tokens",
    run: (create) =>
      bothWays(create, async (model) => {
        const [first, second] = [requests(4, { temperature: 1 }, 12), requests(2, { temperature: 0.8 }, 12)];
        const before = await model.sample(first);
        const sequences = before.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens }));
        await model.forwardBackward(sequences, ({ values }) => new Float64Array(values.length).fill(0.1));
        const still = { learningRate: 0, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
        await model.optimStep(still);
        const curious = second.map((request) => ({ ...request, topLogProbs: 2 }));
        return [...before, ...(await model.sample(first)), ...(await model.sample(curious))];
      }),
  },
];
