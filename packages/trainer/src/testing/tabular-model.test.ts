import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomFromSeed, type SampleRequest, type TrainingSequence } from "@laconic/core";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { tabularModel } from "./tabular-model.ts";

const adam = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: Infinity };

const sequences: readonly TrainingSequence[] = [
  { promptTokens: [1], completionTokens: [2, 0], temperature: 0.7 },
  { promptTokens: [], completionTokens: [1, 1, 2] },
];

function request(seed: number, temperature = 1): SampleRequest {
  return {
    promptTokens: [1],
    sampling: { temperature, maxTokens: 1 },
    stopTokens: [0],
    random: randomFromSeed(seed).state(),
  };
}

test("a fresh table is uniform: log-prob -log 4 and entropy log 4", async () => {
  const { logProbs, entropy } = await tabularModel({ vocabularySize: 4 }).forward(sequences);
  expect(logProbs.values).toBeAllclose(Array.from({ length: 5 }, () => -Math.log(4)));
  expect(entropy.values).toBeAllclose(Array.from({ length: 5 }, () => Math.log(4)));
  expect([...logProbs.offsets]).toEqual([0, 2, 5]);
});

test("one plain gradient step is w - rate * d loss / d w, checked by finite differences", async () => {
  // loss = Σ cₜ log πₜ; a step of size h along -gradient lowers it by h |gradient|² to first order.
  const weights = [0.3, -0.7, 1.1, 0.2, -0.4];
  const model = tabularModel({ vocabularySize: 3, spread: 0.8, optimizer: "sgd" });
  const loss = async (): Promise<number> =>
    (await model.forward(sequences)).logProbs.values.reduce((sum, value, t) => sum + value * (weights[t] as number), 0);
  const before = await loss();
  await model.forwardBackward(sequences, () => Float64Array.from(weights));
  const learningRate = 1e-6;
  const { gradNorm, applied, step } = await model.optimStep({ ...adam, learningRate });
  expect([applied, step, model.weightVersion]).toEqual([true, 1, 1]);
  expect(gradNorm).toBeGreaterThan(0.1);
  expect((before - (await loss())) / learningRate).toBeCloseTo(gradNorm ** 2, 4);
});

test("micro-batches give the gradient of one batch", async () => {
  const norms = await Promise.all(
    [1, Infinity].map(async (microBatch) => {
      const model = tabularModel({ vocabularySize: 3, spread: 0.5, microBatch });
      let calls = 0;
      await model.forwardBackward(sequences, (part) => {
        calls += 1;
        return part.values.map((value) => value / 3);
      });
      const { gradNorm } = await model.optimStep(adam);
      return { calls, gradNorm };
    }),
  );
  expect(norms.map(({ calls }) => calls)).toEqual([2, 1]);
  expect(norms[0]?.gradNorm).toBeCloseTo(norms[1]?.gradNorm as number, 12);
});

test("the first AdamW step moves every touched logit by the learning rate", async () => {
  const model = tabularModel({ vocabularySize: 2, context: "position", positions: 1 });
  const one = [{ promptTokens: [], completionTokens: [0] }];
  await model.forwardBackward(one, () => Float64Array.of(-1));
  await model.optimStep(adam);
  // Logits are now +0.1 and -0.1.
  const { logProbs } = await model.forward(one);
  expect(logProbs.values[0]).toBeCloseTo(-Math.log(1 + Math.exp(-0.2)), 7);
});

test("samples follow the distribution, repeat with their stream, and report their log-probs", async () => {
  const model = tabularModel({ vocabularySize: 3, spread: 1 });
  const draws = await model.sample(Array.from({ length: 4000 }, (_, i) => request(i)));
  const again = await model.sample([request(3)]);
  expect(again[0]).toEqual(draws[3]);
  const { logProbs } = await model.forward(
    [0, 1, 2].map((token) => ({ promptTokens: [1], completionTokens: [token] })),
  );
  for (const token of [0, 1, 2]) {
    const matches = draws.filter(({ tokens }) => tokens[0] === token);
    const p = Math.exp(logProbs.values[token] as number);
    expect(Math.abs(matches.length / 4000 - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / 4000));
    expect(matches[0]?.logProbs[0]).toBe(logProbs.values[token]);
  }
  const best = logProbs.values.indexOf(Math.max(...logProbs.values));
  expect((await model.sample([request(0, 0)]))[0]?.tokens).toEqual([best]);
});

test("a loaded model continues as the saved one would; a snapshot stays behind", async () => {
  const train = async (model: ReturnType<typeof tabularModel>): Promise<void> => {
    await model.forwardBackward(sequences, (part) => part.values.map((value) => -value));
    await model.optimStep(adam);
  };
  const model = tabularModel({ vocabularySize: 3, spread: 0.5 });
  await train(model);
  const snapshot = await model.snapshot();
  const seen = await model.forward(sequences);
  const path = await temporaryFolder();
  expect(await model.save(path)).toEqual(["table.json"]);
  const copy = tabularModel({ vocabularySize: 3 });
  await copy.load(path);
  await Promise.all([train(model), train(copy)]);
  expect(await copy.forward(sequences)).toEqual(await model.forward(sequences));
  expect(await snapshot.forward(sequences)).toEqual(seen);
  expect([snapshot.weightVersion, copy.weightVersion]).toEqual([1, 2]);
});

test("a missing, damaged or foreign table is refused by name", async () => {
  const path = await temporaryFolder();
  const model = tabularModel({ vocabularySize: 3 });
  await expect(model.load(path)).rejects.toFailWith("checkpoint_missing");
  await writeFile(join(path, "table.json"), `{"logits":[1`);
  await expect(model.load(path)).rejects.toFailWith("weights_invalid");
  await tabularModel({ vocabularySize: 4 }).save(path);
  await expect(model.load(path)).rejects.toFailWith("weights_invalid");
});

test("a truncated distribution is refused rather than ignored", async () => {
  const sampling = { temperature: 1, maxTokens: 1, topK: 2 };
  await expect(tabularModel({ vocabularySize: 3 }).sample([{ ...request(0), sampling }])).rejects.toFailWith(
    "input_invalid",
  );
});
