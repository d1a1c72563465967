import { randomFromSeed, type TrainingSequence } from "@laconic/core";
import { expect, test } from "vitest";
import { supervised, type SupervisedOptions } from "./supervised.ts";
import { tabularModel } from "../testing/index.ts";

const optimizer = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: Infinity };
const examples: readonly TrainingSequence[] = [
  { promptTokens: [0], completionTokens: [1, 2] },
  { promptTokens: [1], completionTokens: [2] },
];

function options(changes: Partial<SupervisedOptions> = {}): SupervisedOptions {
  return {
    steps: 60,
    batch: () => examples,
    random: randomFromSeed(1),
    optimizer,
    learningRate: { peak: 0.2, warmUpSteps: 0, decay: "constant", finalFraction: 1 },
    ...changes,
  };
}

test("the loss is the mean cross-entropy per token, and it falls", async () => {
  const losses: [number, number][] = [];
  const model = tabularModel({ vocabularySize: 3 });
  await supervised(model, options({ onStep: (step, loss) => void losses.push([step, loss]) }));
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
  const learningRate = { peak: 0.3, warmUpSteps: 0, decay: "constant", finalFraction: 1 } as const;
  await supervised(model, options({ steps: 1, batch: () => [...one, ...one], learningRate }));
  // Both examples have weight 1/2 and the same direction: the logits are now 0.2, -0.1, -0.1.
  const { logProbs } = await model.forward(one);
  expect(logProbs.values[0]).toBeCloseTo(-Math.log(1 + 2 * Math.exp(-0.3)), 12);
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
