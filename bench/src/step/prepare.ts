import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFromSeed } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { wasmKernels } from "@laconic/engine/wasm";
import { print } from "../measure.ts";
import { qwen2Config, type Geometry } from "../model-geometry.ts";
import { lastOf, python, type Ran } from "../processes.ts";
import { stepSizes, type StepJob, type StepSize } from "./job.ts";

/** Calls `measure` with a size, and the folder and the number of its fresh weights. @throws Error for an unknown name */
export async function withCheckpoint(
  name: string,
  change: Partial<Geometry>,
  measure: (size: StepSize, folder: string, parameters: number) => Promise<void> | void,
): Promise<void> {
  const size = stepSizes.find((each) => each.name === name);
  if (!size) throw new Error(`unknown size ${name}; known: ${stepSizes.map((each) => each.name).join(", ")}`);
  const folder = await mkdtemp(join(tmpdir(), "laconic-bench-"));
  const engine = await createLocalEngine({ device: wasmKernels() });
  try {
    const config = qwen2Config({ ...size, ...change });
    const model = await engine.createModel({ kind: "config", config, seed: "bench" });
    await model.save(folder);
    await engine.close();
    await measure(size, folder, model.parameters);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Variables of all sides. Our side uses the peers' libtorch. */
export function threadsEnvironment(threads: number): Record<string, string> {
  const count = String(threads);
  return {
    ...(existsSync(python) && { LACONIC_PYTHON: python }),
    OMP_NUM_THREADS: count,
    MKL_NUM_THREADS: count,
    // OpenMP threads spin, which counts as CPU time.
    GOMP_SPINCOUNT: "20000",
  };
}

/** Last line of a side; null, and a note, if it failed. */
export function resultOf(side: string, ran: Ran): unknown {
  const result = lastOf(ran);
  if (!("failed" in result)) return result;
  print("skipped", { side, why: result["failed"] });
  return null;
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
