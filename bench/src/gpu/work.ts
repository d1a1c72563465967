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
  return requests(rows, 1, () => ({ promptTokens: tokens(decode.prompt), maxTokens: decode.tokens }));
}

/**
 * Protocol of nano-vllm's bench.py (github.com/GeeeekExplorer/nano-vllm): 256 sequences, prompts and replies of 100 to
 * 1,024 random tokens each, no end token. Small: 8 sequences of 4 to 16.
 */
export function nanoRequests({ config }: GpuJob, small: boolean): SampleRequest[] {
  const [count, least, most] = small ? [8, 4, 16] : [256, 100, 1024];
  const random = randomFromSeed("nano");
  const tokens = randomTokens("nano tokens", Math.min(Number(config["vocab_size"]), 10_000));
  const length = () => least + random.integer(most - least + 1);
  return requests(count, 0.6, () => ({ promptTokens: tokens(length()), maxTokens: length() }));
}

function requests(
  count: number,
  temperature: number,
  draw: () => { readonly promptTokens: number[]; readonly maxTokens: number },
): SampleRequest[] {
  const random = randomFromSeed("replies");
  return Array.from({ length: count }, (_, row) => {
    const { promptTokens, maxTokens } = draw();
    return { promptTokens, sampling: { temperature, maxTokens }, stopTokens: [], random: random.split(row).state() };
  });
}

function randomTokens(seed: string, vocabulary: number): (count: number) => number[] {
  const random = randomFromSeed(seed);
  return (count) => Array.from({ length: count }, () => random.integer(vocabulary));
}
