import { randomFromSeed, type SampleRequest, type TrainableModel } from "@laconic/core";
import type { GpuJob } from "./geometry.ts";

export function updateOf(model: TrainableModel, { config, update }: GpuJob): () => Promise<void> {
  const tokens = randomTokens("update", Number(config["vocab_size"]));
  const sequences = Array.from({ length: update.sequences }, () => ({
    promptTokens: tokens(1),
    completionTokens: tokens(update.tokens - 1),
  }));
  return async () => {
    await model.forwardBackward(sequences, ({ values }) => new Float64Array(values.length).fill(-1 / values.length));
    const settings = { learningRate: 1e-6, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
    await model.optimStep(settings);
  };
}

/** Random tokens, with replies of full length. */
export function decodeRequests({ config, decode }: GpuJob, rows: number): SampleRequest[] {
  const tokens = randomTokens("decode", Number(config["vocab_size"]));
  const random = randomFromSeed("replies");
  return Array.from({ length: rows }, (_, row): SampleRequest => ({
    promptTokens: tokens(decode.prompt),
    sampling: { temperature: 1, maxTokens: decode.tokens },
    stopTokens: [],
    random: random.split(row).state(),
  }));
}

function randomTokens(seed: string, vocabulary: number): (count: number) => number[] {
  const random = randomFromSeed(seed);
  return (count) => Array.from({ length: count }, () => random.integer(vocabulary));
}
