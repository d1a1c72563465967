import { randomFromSeed, type TrainingSequence } from "@laconic/core";
import { expect, test } from "vitest";
import { supervised, type SupervisedOptions } from "./supervised.ts";
import { tabularModel } from "../testing/index.ts";

const optimizer = { learningRate: 0.2, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: Infinity };
const examples: readonly TrainingSequence[] = [
  { promptTokens: [0], completionTokens: [1, 2] },
  { promptTokens: [1], completionTokens: [2] },
];

function options(changes: Partial<SupervisedOptions> = {}): SupervisedOptions {
  return {
    steps: 60,
    batch: () => examples,
    random: randomFromSeed(1),
    optimizerAt: () => optimizer,
    ...changes,
  };
}

test("the loss is the mean cross-entropy per token, and it falls", async () => {
  const losses: [number, number][] = [];
  const model = tabularModel({ vocabularySize: 3 });
  await supervised(model, options({ onStep: (step, { loss }) => void losses.push([step, loss]) }));
  expect(losses).toHaveLength(60);
  expect(losses[0]?.[0]).toBe(1);
  expect(losses[0]?.[1]).toBeCloseTo(Math.log(3), 12); // three tokens, each one of three
  expect(losses.at(-1)?.[1]).toBeLessThan(0.01);
  const { logProbs } = await model.forward(examples);
  expect(Math.exp(logProbs.values[0] as number)).toBeGreaterThan(0.98);
});

test("one plain step moves a logit by rate x (1 - probability) / tokens", async () => {
  const model = tabularModel({ vocabularySize: 3, optimizer: "sgd" });
  const one = [{ promptTokens: [0], completionTokens: [1] }];
  const optimizerAt = () => ({ ...optimizer, learningRate: 0.3 });
  await supervised(model, options({ steps: 1, batch: () => [...one, ...one], optimizerAt }));
  // Both examples have weight 1/2 and the same direction: the logits are now 0.2, -0.1, -0.1.
  const { logProbs } = await model.forward(one);
  expect(logProbs.values[0]).toBeCloseTo(-Math.log(1 + 2 * Math.exp(-0.3)), 12);
});

test("weights scale tokens in the loss and the gradient; a later first step skips earlier ones", async () => {
  const model = tabularModel({ vocabularySize: 3, optimizer: "sgd" });
  const batch = () => [{ promptTokens: [0], completionTokens: [1, 2], tokenWeights: [0.25, 0] }, ...examples.slice(1)];
  const seen: [number, number][] = [];
  const onStep: SupervisedOptions["onStep"] = (step, { loss }) => void seen.push([step, loss]);
  await supervised(model, options({ firstStep: 4, steps: 5, batch, onStep }));
  expect(seen).toEqual([[5, expect.closeTo(Math.log(3), 12)]]);
  // Weights 0.25 and 1 of 1.25; token 2 after token 1 moves by the second example alone.
  const { logProbs } = await model.forward([{ promptTokens: [0], completionTokens: [1, 2] }]);
  expect(logProbs.values[0]).toBeCloseTo(-Math.log(1 + 2 * Math.exp(-0.2 * 0.2)), 12);
  expect(logProbs.values[1]).toBeCloseTo(-Math.log(1 + 2 * Math.exp(-0.2 * 0.8)), 12);
});

test("the examples of a step depend on the seed and the step alone", async () => {
  const draw = async (): Promise<number[]> => {
    const drawn: number[] = [];
    const batch: SupervisedOptions["batch"] = (step, random) => {
      drawn.push(step, random.integer(1000));
      return examples;
    };
    await supervised(tabularModel({ vocabularySize: 3 }), options({ steps: 3, batch }));
    return drawn;
  };
  const drawn = await draw();
  expect(drawn.filter((_, i) => i % 2 === 0)).toEqual([0, 1, 2]);
  expect(new Set(drawn.filter((_, i) => i % 2 === 1)).size).toBe(3);
  expect(await draw()).toEqual(drawn);
});

test("a step without anything to learn is refused", async () => {
  for (const batch of [() => [], () => [{ promptTokens: [1], completionTokens: [] }]])
    await expect(supervised(tabularModel({ vocabularySize: 3 }), options({ batch }))).rejects.toMatchObject({
      code: "input_invalid",
      detail: { step: 0 },
    });
});

test("an abort ends it before the next step; the steps before are learned", async () => {
  const stop = new AbortController();
  const steps: number[] = [];
  const model = tabularModel({ vocabularySize: 3 });
  const onStep = (step: number): void => {
    steps.push(step);
    if (step === 2) stop.abort();
  };
  await expect(supervised(model, options({ onStep, signal: stop.signal }))).rejects.toMatchObject({ code: "aborted" });
  expect([steps, model.weightVersion]).toEqual([[1, 2], 2]);
});
