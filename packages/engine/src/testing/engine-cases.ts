import {
  randomFromSeed,
  raggedRow,
  type Engine,
  type SampleRequest,
  type TrainableModel,
  type TrainingSequence,
} from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";

/** A model small enough for any device; token 0 ends a reply. */
const config: Readonly<Record<string, unknown>> = {
  model_type: "llama",
  vocab_size: 13,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 48,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  initializer_range: 0.3,
};

const optimizer = { learningRate: 0.02, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };

/** Prompts that repeat, share a long prefix, and differ. */
const shared = Array.from({ length: 18 }, (_, i) => 1 + (i % 12));
const prompts = [[1, 2, 3], [1, 2, 3], [4], [...shared, 5], [...shared, 6, 7], shared];

const requests: readonly SampleRequest[] = prompts.map((promptTokens, i) => ({
  promptTokens,
  sampling: { temperature: i === 2 ? 0 : 0.9, maxTokens: 4 + i },
  stopTokens: [0],
  random: randomFromSeed(i).state(),
}));

const sequences: readonly TrainingSequence[] = [
  { promptTokens: [1, 2, 3], completionTokens: [4, 5, 0] },
  { promptTokens: [6], completionTokens: [7] },
  { promptTokens: [1, 2], completionTokens: [] },
  { promptTokens: [3, 2, 1, 4, 5], completionTokens: [6, 7, 8, 9, 0], temperature: 0.7 },
];

/** What every engine must do, local or remote. `create` makes a fresh engine; each case closes its own. */
export const engineCases: readonly ConformanceCase<Engine>[] = [
  {
    name: "the same requests give the same replies, alone or in a batch",
    run: (create) =>
      withModel(create, async (model) => {
        const [first, again] = [await model.sample(requests), await model.sample(requests)];
        expectThat(same(first, again), "two equal batches to give equal replies");
        for (const [i, request] of requests.entries()) {
          const [alone] = await model.sample([request]);
          expectThat(
            alone?.tokens.join() === first[i]?.tokens.join(),
            `request ${i} to say the same alone as in the batch`,
          );
        }
      }),
  },
  {
    name: "a reply ends at a stop token or at its ceiling, and says which",
    run: (create) =>
      withModel(create, async (model) => {
        for (const [i, { tokens, finishReason }] of (await model.sample(requests)).entries()) {
          const stopped = tokens.at(-1) === 0;
          expectThat(
            tokens.length > 0 && tokens.length <= 4 + i,
            `reply ${i} to have 1 to ${4 + i} tokens, got ${tokens.length}`,
          );
          expectThat(!tokens.slice(0, -1).includes(0), `reply ${i} to go on after no stop token`);
          expectThat(
            finishReason === (stopped ? "stop" : "length"),
            `reply ${i} to finish by ${stopped ? "stop" : "length"}`,
          );
        }
      }),
  },
  {
    name: "the sampler's log-probs are those of the training pass",
    run: (create) =>
      withModel(create, async (model) => {
        const samples = await model.sample(requests);
        const { logProbs } = await model.forward(
          samples.map((sample, i) => ({
            promptTokens: sample.promptTokens,
            completionTokens: sample.tokens,
            temperature: requests[i]?.sampling.temperature ?? 1,
          })),
        );
        samples.forEach((sample, i) => {
          const row = raggedRow(logProbs, i);
          sample.logProbs.forEach((value, t) =>
            near(value, row[t] as number, 1e-4, `log-prob of reply ${i}, token ${t}`),
          );
        });
      }),
  },
  {
    name: "log-probs and entropies do not depend on what else is in the batch",
    run: (create) =>
      withModel(create, async (model) => {
        const together = await model.forward(sequences);
        expectThat(together.logProbs.offsets.join() === "0,3,4,4,9", "one value per completion token");
        for (const [i, sequence] of sequences.entries()) {
          const alone = await model.forward([sequence]);
          alone.logProbs.values.forEach((value, t) =>
            near(value, raggedRow(together.logProbs, i)[t] as number, 1e-5, `log-prob ${i},${t}`),
          );
          alone.entropy.values.forEach((value, t) =>
            near(value, raggedRow(together.entropy, i)[t] as number, 1e-5, `entropy ${i},${t}`),
          );
        }
      }),
  },
  {
    name: "gradient steps raise the likelihood of what they train, last token included",
    run: (create) =>
      withModel(create, async (model) => {
        const before = await model.forward(sequences);
        for (let step = 0; step < 20; step++) {
          await model.forwardBackward(sequences, (logProbs) => new Float64Array(logProbs.values.length).fill(-1 / 9));
          const { applied } = await model.optimStep(optimizer);
          expectThat(applied, "a finite gradient to be applied");
        }
        const after = await model.forward(sequences);
        for (const row of [0, 1, 3]) {
          const [old, now] = [raggedRow(before.logProbs, row), raggedRow(after.logProbs, row)];
          expectThat(
            (now.at(-1) as number) > (old.at(-1) as number),
            `the last token of sequence ${row} to become likelier`,
          );
        }
        expectThat(model.weightVersion === 20, `weight version 20, got ${model.weightVersion}`);
      }),
  },
  {
    name: "gradients add up over calls until a step",
    run: (create) =>
      withModel(create, async (model) => {
        const gradient = (logProbs: { values: Float64Array }): Float64Array =>
          new Float64Array(logProbs.values.length).fill(-0.1);
        await model.forwardBackward(sequences, gradient);
        const { gradNorm: together } = await model.optimStep({ ...optimizer, learningRate: 1e-12 });
        for (const sequence of sequences) await model.forwardBackward([sequence], gradient);
        const { gradNorm: apart } = await model.optimStep({ ...optimizer, learningRate: 1e-12 });
        near(apart, together, 1e-4 * together, "norm of the summed gradient");
      }),
  },
  {
    name: "a snapshot stays as it was while training goes on",
    run: (create) =>
      withModel(create, async (model) => {
        const snapshot = await model.snapshot();
        const before = await snapshot.forward(sequences);
        await model.forwardBackward(sequences, (logProbs) => new Float64Array(logProbs.values.length).fill(-1));
        await model.optimStep(optimizer);
        const frozen = await snapshot.forward(sequences);
        const live = await model.forward(sequences);
        expectThat(frozen.logProbs.values.join() === before.logProbs.values.join(), "the snapshot to be unchanged");
        expectThat(live.logProbs.values.join() !== before.logProbs.values.join(), "the live policy to have moved");
        await snapshot.dispose();
      }),
  },
  {
    name: "a gradient that is not finite is refused and changes nothing",
    run: (create) =>
      withModel(create, async (model) => {
        const before = await model.forward(sequences);
        await refuses(
          "numeric_invalid",
          model.forwardBackward(sequences, (logProbs) => new Float64Array(logProbs.values.length).fill(NaN)),
        );
        const { applied } = await model.optimStep(optimizer);
        expectThat(!applied, "a step without a gradient to do nothing");
        const after = await model.forward(sequences);
        expectThat(after.logProbs.values.join() === before.logProbs.values.join(), "weights to be unchanged");
      }),
  },
  {
    name: "bad requests are refused by name, and the model goes on working",
    run: (create) =>
      withModel(create, async (model) => {
        const request = requests[0] as SampleRequest;
        const bad: readonly Partial<SampleRequest>[] = [
          { promptTokens: [] },
          { promptTokens: [13] },
          { promptTokens: Array.from({ length: 48 }, () => 1) },
          { sampling: { temperature: -1, maxTokens: 4 } },
          { sampling: { temperature: 1, maxTokens: 0 } },
        ];
        for (const change of bad) await refuses("input_invalid", model.sample([{ ...request, ...change }]));
        await refuses("input_invalid", model.forward([{ promptTokens: [1], completionTokens: [99] }]));
        expectThat((await model.sample([request])).length === 1, "a good request to be served after bad ones");
        expectThat((await model.sample([])).length === 0, "an empty batch to be empty");
      }),
  },
];

async function withModel(
  create: () => Engine | Promise<Engine>,
  body: (model: TrainableModel) => Promise<void>,
): Promise<void> {
  const engine = await create();
  try {
    await body(await engine.createModel({ kind: "config", config, seed: 1 }));
  } finally {
    await engine.close();
  }
}

async function refuses(code: string, call: Promise<unknown>): Promise<void> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  const found = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "no error";
  expectThat(found === code, `the call to be refused with ${code}, got ${found}`);
}

function near(value: number, expected: number, tolerance: number, what: string): void {
  expectThat(Math.abs(value - expected) <= tolerance, `${what} to be ${expected}, got ${value}`);
}

function same(a: readonly { tokens: readonly number[]; logProbs: readonly number[] }[], b: typeof a): boolean {
  return a.every(
    (each, i) => each.tokens.join() === b[i]?.tokens.join() && each.logProbs.join() === b[i]?.logProbs.join(),
  );
}
