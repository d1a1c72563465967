import { randomFromSeed, ragged, type Utterance, type UnknownRecord } from "@laconic/core";
import { objectivePreset } from "@laconic/gspo/presets";
import { expect, test } from "vitest";
import { parseTrainConfig } from "../settings/parse-train-config.ts";
import { objectiveOf, rateOf } from "../settings/named.ts";
import { tabularModel } from "../testing/index.ts";
import type { TrainingBatch } from "./training-batch.ts";
import { update, type UpdateResult } from "./update.ts";

/** Two episodes in which one agent speaks twice; tokens of a three-token table. */
const replies = [
  [1, 2],
  [2, 2, 0],
  [1, 0],
  [0, 1],
];

function utterance(turn: number): Utterance {
  const base = {
    prompt: "",
    text: "x",
    silent: false,
    writtenTokens: 2,
    deliveredTo: [],
    finishReason: "stop",
  } as const;
  return { ...base, agent: "a", turn, round: turn, model: { id: "m", weightVersion: 0 } };
}

const batch: TrainingBatch = {
  sequences: replies.map((completionTokens) => ({ promptTokens: [1], completionTokens })),
  utterances: [0, 1, 0, 1].map(utterance),
  episodes: Int32Array.of(0, 0, 1, 1),
  problems: Int32Array.of(0, 0, 0, 0),
  advantages: Float64Array.of(0.5, 0.5, -0.5, -0.5),
  sampledLogProbs: ragged(replies.map((tokens) => tokens.map(() => -1))),
  empty: 0,
  estimatorState: undefined,
  diagnostics: {},
};

/** Old log-probs that differ from the new ones, so that the ratio's unit matters. */
const oldLogProbs = ragged(replies.map((tokens, s) => tokens.map((_, t) => -1 - 0.1 * s - 0.05 * t)));

/** Reference log-probs, used only by a KL term. */
const refLogProbs = ragged(replies.map((tokens) => tokens.map((token) => -0.5 - 0.2 * token)));

async function once(
  ratioUnit: string,
  settings: UnknownRecord = {},
  microBatch = Infinity,
): Promise<UpdateResult & { readonly weights: Float64Array }> {
  const config = parseTrainConfig({
    minibatches: 1,
    ratioUnit,
    objective: { name: "gspo", clip: { low: 0.9, high: 9 } },
    optimizer: { learningRate: { peak: 0.1, warmUpSteps: 0 } },
    ...settings,
  });
  const learningRate = rateOf(config.optimizer.learningRate);
  const objective = objectiveOf(config.objective);
  const model = tabularModel({ vocabularySize: 3, spread: 0.3, microBatch });
  const facts = { model, config, objective, batch, oldLogProbs, refLogProbs, step: 0, learningRate };
  const result = await update(facts, randomFromSeed(1));
  return { ...result, weights: (await model.forward(batch.sequences)).logProbs.values };
}

/** Σ -A s / N with s = exp(mean log-ratio) over each unit, by hand. */
async function lossByHand(units: readonly (readonly number[])[]): Promise<number> {
  const { logProbs } = await tabularModel({ vocabularySize: 3, spread: 0.3 }).forward(batch.sequences);
  const ratios = [...logProbs.values].map((value, i) => value - (oldLogProbs.values[i] as number));
  const rowOf = replies.flatMap((tokens, s) => tokens.map(() => s));
  return units.reduce((sum, rows) => {
    const own = ratios.filter((_, i) => rows.includes(rowOf[i] as number));
    const mean = own.reduce((total, value) => total + value, 0) / own.length;
    return sum - ((batch.advantages[rows[0] as number] as number) * Math.exp(mean)) / units.length;
  }, 0);
}

test.each([
  ["message", [[0], [1], [2], [3]]],
  [
    "trajectory",
    [
      [0, 1],
      [2, 3],
    ],
  ],
  [
    "joint",
    [
      [0, 1],
      [2, 3],
    ],
  ],
])("ratio unit %s: the loss is the mean over units of -A times the unit's ratio", async (unit, units) => {
  const { loss, diagnostics } = await once(unit);
  expect(loss).toBeCloseTo(await lossByHand(units), 12);
  expect(diagnostics["ratio"]?.count).toBe(units.length);
});

const kl = { name: "gspo", clip: { low: 0.9, high: 9 }, kl: { estimator: "k2", coefficient: 0.3 } };

test("the divergence from the reference is added to the loss: its sequence means, averaged", async () => {
  const { logProbs } = await tabularModel({ vocabularySize: 3, spread: 0.3 }).forward(batch.sequences);
  const k2 = [...logProbs.values].map((value, i) => (value - (refLogProbs.values[i] as number)) ** 2 / 2);
  const means = replies.map((tokens, s) => {
    const start = refLogProbs.offsets[s] as number;
    return k2.slice(start, start + tokens.length).reduce((sum, value) => sum + value, 0) / tokens.length;
  });
  const penalty = means.reduce((sum, value) => sum + value, 0) / means.length;
  const [without, penalised] = [await once("message"), await once("message", { objective: kl })];
  expect(penalised.loss - without.loss).toBeCloseTo(0.3 * penalty, 12);
  expect(penalised.diagnostics["kl"]).toMatchObject({ count: k2.length });
  expect(penalised.weights).not.toEqual(without.weights);
});

test("an engine's micro-batches do not change an update, whatever the ratio unit", async () => {
  for (const unit of ["message", "trajectory"]) {
    const [whole, parts] = [await once(unit, { objective: kl }), await once(unit, { objective: kl }, 1)];
    expect(parts.loss).toBeCloseTo(whole.loss, 12);
    expect(parts.weights).toBeAllclose(whole.weights, { relative: 1e-10 });
  }
});

test("minibatches keep the messages of a unit together", async () => {
  const { diagnostics, gradNorm } = await once("trajectory", { minibatches: 2 });
  expect(gradNorm.count).toBe(2);
  expect(diagnostics["ratio"]?.count).toBe(2); // two whole trajectories, none cut into two
});

test("each epoch passes over the whole batch, and the learning rate counts its steps", async () => {
  const learningRate = { peak: 0.1, warmUpSteps: 0, decay: "linear", finalFraction: 0 };
  const settings = { steps: 1, minibatches: 2, epochs: 3, optimizer: { learningRate } };
  const { gradNorm, diagnostics, learningRate: last } = await once("message", settings);
  expect([gradNorm.count, diagnostics["ratio"]?.count]).toEqual([6, 12]);
  expect(last).toBeCloseTo(0.1 / 6, 12); // the sixth of six steps
  const one = await once("message", { ...settings, epochs: 1 });
  expect(one.weights).not.toEqual((await once("message", settings)).weights);
});

test("minibatches without a sequence are skipped", async () => {
  const { gradNorm, learningRate } = await once("trajectory", { minibatches: 4 });
  expect(gradNorm.count).toBe(2);
  expect(learningRate).toBe(0.1);
});

test("a gradient that is not finite is skipped and counted", async () => {
  const model = tabularModel({ vocabularySize: 3 });
  const config = parseTrainConfig({ minibatches: 2 });
  const objective = {
    ...objectivePreset("gspo"),
    evaluate: ({ logProbs }: { logProbs: { values: Float64Array } }) => ({
      loss: 0,
      gradient: logProbs.values.map(() => NaN),
      diagnostics: {},
    }),
  };
  const result = await update(
    { model, config, objective, batch, oldLogProbs, refLogProbs: null, step: 0, learningRate: () => 0.1 },
    randomFromSeed(0),
  );
  expect([result.skipped, result.gradNorm.count, model.weightVersion]).toEqual([2, 0, 0]);
});
