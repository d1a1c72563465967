// What it costs that replicas add their gradients through the host: processor seconds of an update over one and over two replicas of
// the same model on libtorch's CPU kernels, and the bytes that go through the memory that their threads share.
//   npx tsx bench/archive/replicas.ts [--sizes 4.7M,28M] [--rounds 3]
// Both replicas compute on the calling thread, so that processor time is that of both. The difference of the two optimiser steps
// holds the sum and a second AdamW: the same AdamW is what the first one is without the sum.
import { parseArgs } from "node:util";
import { randomFromSeed, type TrainableModel } from "@laconic/core";
import { createInlineEngine } from "@laconic/engine";
import { createKernels } from "@laconic/kernels-torch";
import { machine, print, threadCpuMs } from "../src/measure.ts";
import { qwen2Config } from "../src/model-geometry.ts";
import { stepSizes, type StepSize } from "../src/step/job.ts";

const { values } = parseArgs({
  options: { sizes: { type: "string", default: "4.7M,28M" }, rounds: { type: "string", default: "3" } },
});

print("machine", machine());
for (const name of values.sizes.split(",")) {
  const size = stepSizes.find((each) => each.name === name);
  if (!size)
    throw new Error(`there is no size ${name}; the sizes are ${stepSizes.map((each) => each.name).join(", ")}`);
  const one = await measure(size, 1);
  const two = await measure(size, 2);
  const sumSeconds = two.optimStep - 2 * one.optimStep;
  print("replicas", {
    model: size.name,
    parameters: one.parameters,
    // out of each replica, into the sum, and back into each
    bytesThroughHost: 4 * one.parameters * (2 + 1 + 2),
    cpuSeconds: { one: seconds(one), two: seconds(two) },
    sumSeconds: rounded(sumSeconds),
    sumOfUpdate: rounded(sumSeconds / (two.forwardBackward + two.optimStep)),
  });
}

interface Measured {
  readonly parameters: number;
  readonly forwardBackward: number;
  readonly optimStep: number;
}

/** The fastest of some rounds, after one to warm up. */
async function measure(size: StepSize, replicas: number): Promise<Measured> {
  const kernels = await Promise.all(
    Array.from({ length: replicas }, () => createKernels({ device: "cpu", threads: 1 })),
  );
  const engine = await createInlineEngine(kernels);
  try {
    const model = await engine.createModel({ kind: "config", config: qwen2Config(size), seed: "bench" });
    const rounds: Measured[] = [];
    for (let round = -1; round < Number(values.rounds); round++) {
      const forwardBackward = await timed(() => gradient(model, size));
      const optimStep = await timed(() => step(model));
      if (round >= 0) rounds.push({ parameters: model.parameters, forwardBackward, optimStep });
    }
    const least = (of: (each: Measured) => number): number => Math.min(...rounds.map(of));
    return {
      parameters: model.parameters,
      forwardBackward: least((each) => each.forwardBackward),
      optimStep: least((each) => each.optimStep),
    };
  } finally {
    await engine.close();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = threadCpuMs();
  await work();
  return (threadCpuMs() - before) / 1000;
}

function gradient(model: TrainableModel, size: StepSize): Promise<unknown> {
  const random = randomFromSeed("tokens");
  const tokens = (count: number): number[] => Array.from({ length: count }, () => random.integer(size.vocabulary));
  const sequences = Array.from({ length: size.prompts * size.generations }, () => ({
    promptTokens: tokens(size.promptTokens),
    completionTokens: tokens(size.maxTokens),
  }));
  return model.forwardBackward(sequences, (logProbs) => logProbs.values.map(() => -1e-3));
}

function step(model: TrainableModel): Promise<unknown> {
  return model.optimStep({
    learningRate: 1e-5,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    weightDecay: 0,
    maxGradNorm: 1,
  });
}

function seconds({ forwardBackward, optimStep }: Measured): Record<string, number> {
  return { forwardBackward: rounded(forwardBackward), optimStep: rounded(optimStep) };
}

function rounded(value: number): number {
  return Math.round(10_000 * value) / 10_000;
}
