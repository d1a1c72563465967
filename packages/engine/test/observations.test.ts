import { raggedRow, type TokenGradient, type TrainableModel, type TrainingSequence } from "@laconic/core";
import { createInlineEngine } from "../src/local/local-engine.ts";
import { conformanceConfig as config, conformanceOptimizer as optimizer } from "../src/testing/index.ts";
import { createReferenceKernels } from "../src/kernels/testing/index.ts";
import { expect, test } from "vitest";

const [prompt, call, observation, answer] = [
  [1, 2, 3],
  [4, 5, 6],
  [7, 8, 9, 7],
  [10, 11, 0],
];
const turns: readonly TrainingSequence[] = [
  { promptTokens: prompt, completionTokens: call },
  { promptTokens: [...prompt, ...call, ...observation], completionTokens: answer },
];
const whole: readonly TrainingSequence[] = [
  { promptTokens: prompt, completionTokens: [...call, ...observation, ...answer] },
];
const written = [0.3, -0.7, 0.2, -0.4, 0.9, 0.1];
const masked = (ofObserved: number): number[] => [
  ...written.slice(0, 3),
  ...observation.map(() => ofObserved),
  ...written.slice(3),
];

async function stepped(sequences: readonly TrainingSequence[], gradient: readonly number[]): Promise<Float64Array> {
  const engine = await createInlineEngine([createReferenceKernels()]);
  const model: TrainableModel = await engine.createModel({ kind: "config", config, seed: 1 });
  const given: TokenGradient = () => Float64Array.from(gradient);
  await model.forwardBackward(sequences, given);
  const { gradNorm } = await model.optimStep(optimizer);
  const after = Float64Array.of(gradNorm, ...raggedRow((await model.forward(whole)).logProbs, 0));
  await engine.close();
  return after;
}

const farthest = (a: Float64Array, b: Float64Array): number =>
  Math.max(...a.map((value, i) => Math.abs(value - (b[i] ?? Number.NaN))));

test("an episode with observations trains as one sequence, and observations have no gradient", async () => {
  const byTurns = await stepped(turns, written);
  expect(farthest(byTurns, await stepped(whole, masked(0)))).toBeLessThan(1e-9);
  expect(farthest(byTurns, await stepped(whole, masked(0.5)))).toBeGreaterThan(1e-3);
});
