import { randomFromSeed } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { wasmKernels } from "@laconic/engine/wasm";
import { qwen2Config } from "../model-geometry.ts";
import type { StepJob, StepSize } from "./job.ts";

/** Returns the number of fresh weights. */
export async function saveModel(size: StepSize, folder: string): Promise<number> {
  const engine = await createLocalEngine({ device: wasmKernels() });
  const model = await engine.createModel({ kind: "config", config: qwen2Config(size), seed: "bench" });
  await model.save(folder);
  await engine.close();
  return model.parameters;
}

export function jobOf(size: StepSize, checkpoint: string, threads: number): StepJob {
  const { vocabulary, generations, maxTokens, warmUp, steps } = size;
  const shared = { checkpoint, vocabulary, generations, maxTokens, warmUp, steps };
  return { ...shared, prompts: promptsOf(size), threads, learningRate: 1e-6 };
}

function promptsOf({ prompts, promptTokens }: StepSize): number[][] {
  const random = randomFromSeed("prompts");
  return Array.from({ length: prompts }, () => Array.from({ length: promptTokens }, () => 2 + random.integer(62)));
}
