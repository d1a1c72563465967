/**
 * Agent-GSPO (Algorithm 1) in one file, without the trainer. P problems, G episodes each, S utterances.
 *
 *     npx tsx examples/agent-gspo-loop.ts [steps] [model folder] [seed]
 */
import { fileURLToPath } from "node:url";
import { relayTask } from "@laconic/tasks";
import { dualController } from "@laconic/budget";
import { ragged, raggedSelect, randomFromSeed, type Random, type TrainingSequence } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { groupAdvantageConventions, groupAdvantages, gspo } from "@laconic/gspo";
import { wasmKernels } from "@laconic/engine/wasm";

const [, , steps = "20", folder = fileURLToPath(shippedModel()), seed = "0"] = process.argv;
const [problemsPerStep, episodesPerProblem, minibatches] = [16, 8, 2];

const task = relayTask({ level: "one-fact" });
const engine = await createLocalEngine({ device: wasmKernels() });
const model = await engine.createModel({ kind: "folder", path: folder });
const policy = localPolicy({ id: model.id, sampler: model, tokenizer: task.tokenizer });
const models = Object.fromEntries(task.topology.agents.map((agent) => [agent, policy])); // one policy, four agents
const objective = gspo({ clip: { low: 0.03, high: 0.04 } });
const controller = dualController({ targetTokens: 14, learningRate: 1e-5, proportionalGain: 2e-4, maxPrice: 0.05 });
const optimizer = { learningRate: 3e-4, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };

interface Sample {
  readonly group: number;
  readonly correct: number;
  readonly tokens: number;
  readonly sequences: readonly TrainingSequence[];
  readonly logProbs: readonly (readonly number[])[];
}

/** Lines 3-5: P problems, G conversations each, run concurrently so that the engine samples in large batches. */
async function rollout(random: Random): Promise<Sample[]> {
  const problems = task.problems(random.split("problems"), problemsPerStep);
  const streams = random.split("rollout");
  return Promise.all(
    problems.flatMap((problem, group) =>
      Array.from({ length: episodesPerProblem }, async (_, g): Promise<Sample> => {
        const stream = streams.split(`problem:${group}/episode:${g}`);
        const episode = await task.topology.run(problem, { models, sampling: { temperature: 1 }, random: stream });
        const traces = episode.utterances.flatMap(({ trace }) => (trace ? [trace] : []));
        return {
          group,
          correct: task.grader(episode.answer, problem),
          tokens: episode.utterances.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0),
          sequences: traces.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens })),
          logProbs: traces.map(({ logProbs }) => logProbs),
        };
      }),
    ),
  );
}

/** Lines 8-10: one optimizer step per minibatch. One advantage per sequence, [S]. */
async function update(samples: readonly Sample[], advantages: readonly number[], random: Random): Promise<void> {
  const sequences = samples.flatMap((sample) => sample.sequences);
  const oldLogProbs = ragged(samples.flatMap((sample) => sample.logProbs)); // the sampler runs the same kernels
  const order = random.shuffle(sequences.map((_, row) => row));
  for (let part = 0; part < minibatches; part++) {
    const cut = (at: number): number => Math.floor((at * order.length) / minibatches);
    const rows = order.slice(cut(part), cut(part + 1));
    const batch = rows.map((row) => sequences[row] as TrainingSequence);
    const tokens = batch.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0);
    // Between forward and backward pass, the engine calls this for d loss / d log π of part of the batch.
    await model.forwardBackward(batch, (logProbs, chosen) => {
      const picked = chosen.map((i) => rows[i] as number);
      const output = objective.evaluate({
        logProbs,
        oldLogProbs: raggedSelect(oldLogProbs, picked),
        advantages: Float64Array.from(picked, (row) => advantages[row] as number),
        totals: { sequences: batch.length, tokens },
      });
      return output.gradient;
    });
    await model.optimStep(optimizer);
  }
}

let budget = controller.init();
for (let step = 0; step < Number(steps); step++) {
  const random = randomFromSeed(seed).split(`step:${step}`);
  const { price } = budget; // λ of this step
  const samples = await rollout(random);

  // Eq. 1: achieved reward minus the price of its tokens.
  const rewards = samples.map(({ correct, tokens }) => correct - price * tokens);
  // Eq. 2 without the division by the standard deviation, which would cancel the price if all answers are right.
  const groups = samples.map(({ group }) => group);
  const { advantages } = groupAdvantages(rewards, groups, groupAdvantageConventions["dr-grpo"]);
  // Eq. 3-4: an utterance is an action and gets its conversation's advantage.
  const perUtterance = samples.flatMap(({ sequences }, i) => sequences.map(() => advantages[i] as number));
  await update(samples, perUtterance, random.split("minibatches"));

  const accuracy = mean(samples.map(({ correct }) => correct));
  const tokens = mean(samples.map((sample) => sample.tokens));
  budget = controller.step(budget, { tokens }).state; // Eq. 5
  console.log(
    `step ${step + 1}  accuracy ${accuracy.toFixed(3)}  tokens ${tokens.toFixed(2)}  price ${price.toFixed(5)}`,
  );
}
await engine.close();

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function shippedModel(): URL {
  return new URL("../packages/runtime/assets/relay-one-fact", import.meta.url);
}
