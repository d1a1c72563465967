import { createInlineEngine } from "@laconic/engine";
import type { KernelCounters } from "@laconic/engine/kernels";
import { standInKernels } from "@laconic/kernels-torch/testing";
import { expect, test } from "vitest";
import { narrowQwen } from "../../../test/qwen-half-billion.ts";

const settings = {
  learningRate: 1e-5,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  maxGradNorm: 1,
};
/** Eight replies to one prompt, all different from their first token on. */
const sequences = Array.from({ length: 8 }, (_, reply) => ({
  promptTokens: new Array<number>(200).fill(1),
  completionTokens: new Array<number>(300).fill(2 + reply),
}));

test.each([
  { over: "the prefix tree", sharePrefixes: true, dispatcherCalls: 2300, nativeCalls: 20_800 },
  { over: "sequences by themselves", sharePrefixes: false, dispatcherCalls: 700, nativeCalls: 9600 },
])("counts calls of a bfloat16 micro-batch of 8 x 500 tokens and optimizer steps over $over", async (most) => {
  const { kernels, calls } = standInKernels();
  const { sharePrefixes } = most;
  const engine = await createInlineEngine([kernels], {
    recompute: "layer",
    maxTokensPerMicroBatch: 8192,
    sharePrefixes,
  });
  const model = await engine.createModel({ kind: "config", config: narrowQwen, seed: 1 });
  const now = (): KernelCounters & { deletes: number } => ({
    ...(kernels.counters?.() as KernelCounters),
    deletes: calls.get("delete") ?? 0,
  });
  const train = (): Promise<unknown> =>
    model.forwardBackward(sequences, (logProbs) => new Float64Array(logProbs.values.length).fill(1));
  const afterStep = async (weightDecay: number): Promise<{ readonly nativeCalls: number; readonly bytes: number }> => {
    const before = now();
    await model.optimStep({ ...settings, weightDecay });
    const after = now();
    // Beside the step, all gradients are given back.
    const nativeCalls = after.nativeCalls - before.nativeCalls - (after.deletes - before.deletes);
    return { nativeCalls, bytes: after.bytesToHost - before.bytesToHost };
  };
  // Moments and what is kept with weights are made by the first.
  await train();
  await afterStep(0);
  await train();
  const before = now();
  await train();
  const after = now();
  expect(after.dispatcherCalls - before.dispatcherCalls).toBeLessThanOrEqual(most.dispatcherCalls);
  expect(after.nativeCalls - before.nativeCalls).toBeLessThanOrEqual(most.nativeCalls);
  // All that comes back is the norm.
  expect(await afterStep(0)).toMatchObject({ bytes: 4 });
  await train();
  expect((await afterStep(0)).nativeCalls).toBeLessThanOrEqual(60);
  await train();
  // The event of the one read and the wait for it among them.
  expect((await afterStep(0.01)).nativeCalls).toBeLessThanOrEqual(87);
  await engine.close();
});
