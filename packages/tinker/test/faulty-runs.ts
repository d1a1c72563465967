import {
  randomFromSeed,
  type ModelSource,
  type SampleRequest,
  type TrainableModel,
  type TrainingSequence,
} from "@laconic/core";
import { conformanceOptimizer } from "@laconic/engine/testing";
import type { Fault } from "@laconic/tinker/testing";
import { serve, type Served, type ServedOptions } from "./test-server.ts";

export const sequences: readonly TrainingSequence[] = [{ promptTokens: [1, 2, 3], completionTokens: [4, 5, 0] }];
export const request: SampleRequest = {
  promptTokens: [1, 2, 3],
  sampling: { temperature: 1, maxTokens: 4 },
  stopTokens: [0],
  random: randomFromSeed(1).state(),
};
export const source: Extract<ModelSource, { readonly kind: "adapter" }> = {
  kind: "adapter",
  base: { kind: "folder", path: "tiny" },
  lora: { rank: 4, alpha: 32 },
  seed: 1,
};

export async function step(model: TrainableModel): Promise<void> {
  await model.forwardBackward(sequences, ({ values }) => values.map((value) => value / 10 - 0.1));
  await model.optimStep(conformanceOptimizer);
}

export async function logProbs(model: Pick<TrainableModel, "forward">): Promise<number[]> {
  return [...(await model.forward(sequences)).logProbs.values];
}

/** Faults of a path, one per request, in order. */
export function once(path: string, ...faults: readonly (Fault | null)[]): (asked: string) => Fault | null {
  const left = [...faults];
  return (asked) => (asked === path ? (left.shift() ?? null) : null);
}

export async function withServed(
  options: ServedOptions,
  body: (served: Served, model: TrainableModel) => Promise<void>,
): Promise<void> {
  const served = await serve(options);
  try {
    await body(served, await served.engine.createModel(source));
  } finally {
    await served.close();
  }
}
