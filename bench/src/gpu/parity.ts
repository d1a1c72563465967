import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TrainableModel } from "@laconic/core";
import { parityTokens, type GpuJob } from "./geometry.ts";

interface Answers {
  /** All tokens but the first of each sequence. */
  readonly logProbs: readonly number[];
  readonly gradNorm: number;
}

export async function compareWithPeer(
  model: TrainableModel,
  job: GpuJob,
  checkpoint: string,
): Promise<Record<string, unknown>> {
  const { float32, working } = JSON.parse(readFileSync(join(checkpoint, "answers.json"), "utf8")) as Record<
    "float32" | "working",
    Answers
  >;
  const sequences = parityTokens(job).map((tokens) => ({
    promptTokens: tokens.slice(0, 1),
    completionTokens: tokens.slice(1),
  }));
  const count = float32.logProbs.length;
  const { logProbs } = await model.forwardBackward(sequences, ({ values }) =>
    new Float64Array(values.length).fill(-1 / count),
  );
  const still = { learningRate: 0, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: Infinity };
  const { gradNorm } = await model.optimStep(still);
  const off = (values: ArrayLike<number>): Record<string, number> => differences(values, float32.logProbs);
  return {
    against: "Hugging Face in float32 on the same GPU",
    logProbs: off(logProbs.values),
    peersOwn: off(working.logProbs),
    gradNorm: { ours: gradNorm, float32: float32.gradNorm, peersOwn: working.gradNorm },
  };
}

function differences(values: ArrayLike<number>, expected: readonly number[]): { mean: number; largest: number } {
  const off = expected.map((value, i) => Math.abs(value - (values[i] ?? NaN)));
  return { mean: off.reduce((sum, value) => sum + value, 0) / off.length, largest: Math.max(...off) };
}
