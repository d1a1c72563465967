import { LaconicError, ragged, randomFromSeed, type OptimizerSettings, type ValueModel } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { exampleBatch } from "../testing/estimator-cases.ts";
import { criticCases } from "../testing/index.ts";
import { gaeEstimator, modelCritic, type CriticView } from "./index.ts";

function letterModel(
  disk: Map<string, number[]>,
  contextLength = 99,
): ValueModel & { readonly steps: OptimizerSettings[] } {
  let weights = new Array<number>(128).fill(0);
  let gradient = new Array<number>(128).fill(0);
  const steps: OptimizerSettings[] = [];
  const valueOf = (tokens: readonly number[]): number =>
    tokens.reduce((sum, token) => sum + (weights[token] as number), 0);
  const forward: ValueModel["forward"] = async (sequences) => ragged(sequences.map(({ tokens }) => [valueOf(tokens)]));
  return {
    id: "letters",
    parameters: 128,
    trainableParameters: 128,
    contextLength,
    hasStoredHead: false,
    steps,
    get weightVersion() {
      return steps.length;
    },
    forward,
    async forwardBackward(sequences, valueGradient) {
      const seen = await forward(sequences);
      const byValue = valueGradient(
        seen,
        sequences.map((_, row) => row),
      );
      sequences.forEach(({ tokens }, row) =>
        tokens.forEach((token) => (gradient[token] = (gradient[token] as number) + (byValue[row] as number))),
      );
      return seen;
    },
    async optimStep(settings) {
      steps.push(settings);
      weights = weights.map((weight, i) => weight - settings.learningRate * (gradient[i] as number));
      gradient = gradient.map(() => 0);
      return { gradNorm: 0, applied: true, step: steps.length };
    },
    async save(folder) {
      disk.set(folder, weights);
      return ["letters"];
    },
    async load(folder) {
      weights = disk.get(folder) ?? [];
    },
    dispose: async () => undefined,
  };
}

const encode = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));
const input = ({ agent, turn, before }: CriticView): string =>
  `${agent}${turn} ${before.map(({ text }) => text).join()}`;

describe("a model critic", () => {
  const disk = new Map<string, number[]>();
  const create = () => modelCritic({ model: letterModel(disk), encode, input, learningRate: 0.02, minibatch: 9 });
  for (const item of criticCases) test(item.name, () => item.run(() => ({ critic: create(), folder: "kept" })));

  test("steps on half the mean squared error of each minibatch, rows apart that lie together", async () => {
    const model = letterModel(disk);
    const critic = modelCritic({ model, encode, input: () => "x", learningRate: 0.5, epochs: 2, minibatch: 12 });
    const targets = Float64Array.from({ length: 24 }, (_, row) => row % 2);
    await critic.fit(exampleBatch(), targets, null);
    expect(model.steps).toHaveLength(4);
    expect(model.steps[0]).toEqual({
      learningRate: 0.5,
      beta1: 0.9,
      beta2: 0.95,
      epsilon: 1e-8,
      weightDecay: 0,
      maxGradNorm: 1,
    });
    // Even rows, of target 0, are the first minibatch and odd ones the second: 0, 0.5, 0.25, 0.625.
    expect((await critic.values(exampleBatch(), null))[0]).toBeCloseTo(0.625, 12);
  });

  test("reads the tokens of the agent's own prompt where nothing else is said", async () => {
    const batch = exampleBatch();
    const trace = { promptTokens: [65, 66], tokens: [1], logProbs: [0] };
    const utterances = batch.utterances.map((row) => row.map((utterance) => ({ ...utterance, trace })));
    const model = letterModel(disk);
    const seen: (readonly number[])[] = [];
    const forward: ValueModel["forward"] = (sequences) => {
      seen.push(...sequences.map(({ tokens }) => tokens));
      return model.forward(sequences);
    };
    const critic = modelCritic({ model: { ...model, forward }, encode, learningRate: 0.1 });
    await critic.values({ ...batch, utterances }, null);
    expect(seen).toEqual(Array.from({ length: 24 }, () => [65, 66]));
    await expect(critic.values(batch, null)).rejects.toThrow(
      /problem "p0", turn 0: the critic reads 0 tokens, .* 1 to 99/u,
    );
  });

  test("is opened by a run, and says so until then", async () => {
    const named = modelCritic({ model: "shipped", train: "head", input, learningRate: 0.1 });
    const estimator = gaeEstimator({ gamma: 1, lambda: 1, critic: named });
    await expect(estimator.estimate(exampleBatch(), null)).rejects.toThrow(/modelCritic: its model is not open/u);
    const asked: unknown[] = [];
    const model = letterModel(disk);
    const opened = await estimator.open?.({
      openValueModel: async (...given) => {
        asked.push(given);
        return { model, encode };
      },
    });
    expect(asked).toEqual([["shipped", { train: "head" }]]);
    expect(opened?.weights).toBe(model);
    const { advantages } = (await opened?.estimate(exampleBatch(), null)) ?? {};
    expect(advantages).toHaveLength(24);
    expect(model.weightVersion).toBe(1);
  });

  test.each([
    [{ epochs: 0 }, /epochs is 0, expected a whole number from 1/u],
    [{ minibatch: 1.5 }, /minibatch is 1.5, expected a whole number from 1/u],
    [{ learningRate: -1 }, /optimizer: learningRate is -1/u],
    [{ optimizer: { beta1: 2 } }, /optimizer: beta1 is 2/u],
  ])("rejects an unusable option: %o", (change, message) => {
    const make = () => modelCritic({ model: letterModel(disk), encode, learningRate: 0.1, ...change });
    expect(make).toThrow(LaconicError);
    expect(make).toThrow(message);
  });

  test("a state that its model cannot hold is refused by name", async () => {
    const critic = modelCritic({ model: letterModel(disk, 6), encode, input, learningRate: 0.1 });
    const message = /problem "p0", turn 2: the critic reads \d+ tokens, its model takes from 1 to 6/u;
    await expect(critic.values(exampleBatch(), null)).rejects.toThrow(message);
  });
});

test("advantages of a model critic are those of its values, computed apart", async () => {
  const batch = exampleBatch();
  const model = letterModel(new Map());
  const critic = modelCritic({ model, encode, input, learningRate: 0.05 });
  const random = randomFromSeed("targets");
  await critic.fit(
    batch,
    batch.rewards.map(() => random.normal()),
    null,
  );
  const values = await critic.values(batch, null);
  const { advantages } = await gaeEstimator({ gamma: 0.9, lambda: 0.5, critic }).estimate(batch, null);
  // The first episode's a speaks at turns 0 and 2, rows 0 and 2: the first earns its turn's own term and steps, the last the rest.
  const step = batch.stepRewards[0] as number;
  const last = (batch.rewards[2] as number) - step - (values[2] as number);
  const first =
    (batch.turnRewards[0] as number) + step + 0.9 * (values[2] as number) - (values[0] as number) + 0.45 * last;
  expect(advantages[2]).toBeCloseTo(last, 12);
  expect(advantages[0]).toBeCloseTo(first, 12);
});
