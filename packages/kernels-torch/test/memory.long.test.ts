import { createInlineEngine } from "@laconic/engine";
import { createKernels } from "@laconic/kernels-torch";
import { randomFromSeed } from "@laconic/core";
import type { Tensor } from "@laconic/engine/kernels";
import { expect, test } from "vitest";
import { smallQwen } from "../../../test/qwen-half-billion.ts";
import { torchKernelSet } from "../src/torch-kernels.ts";
import { cpuTorch, installedTorch } from "./installed-torch.ts";

const match = installedTorch();
const missing = "missing" in match;
const options = { device: "cpu", torch: missing ? "" : match.install.folder } as const;

const config = { ...smallQwen, hidden_size: 16, intermediate_size: 32 };

test.skipIf(missing)("1,000 training steps and rollouts leave no tensor or handle", async () => {
  const torch = cpuTorch();
  const kernels = torchKernelSet(torch, "float32", { attention: "fused" });
  const engine = await createInlineEngine([kernels]);
  const model = await engine.createModel({ kind: "config", config, seed: 1 });
  const step = async (count: number): Promise<void> => {
    const samples = await model.sample([
      {
        promptTokens: [1, 2, 3],
        sampling: { temperature: 1, maxTokens: 3 },
        stopTokens: [],
        random: randomFromSeed(count).state(),
      },
    ]);
    await model.forwardBackward(
      samples.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens })),
      (logProbs) => new Float64Array(logProbs.values.length).fill(0.1),
    );
    const settings = { learningRate: 1e-4, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
    await model.optimStep(settings);
  };
  await step(0);
  const before = { tensors: kernels.liveTensors(), handles: torch.liveHandles };
  for (let count = 0; count < 1000; count++) await step(count);
  expect({ tensors: kernels.liveTensors(), handles: torch.liveHandles }).toEqual(before);
  await model.dispose();
  expect(kernels.liveTensors()).toBe(0);
  // Constants of the device last as long as it does.
  kernels.dispose();
  expect(torch.liveHandles).toBe(0);
});

test.skipIf(missing)("reuses freed memory, and never memory with another view", async () => {
  const kernels = await createKernels(options);
  const [rows, width] = [512, 128];
  const ones = kernels.upload(new Float32Array(rows * width).fill(1), [rows, width]);
  const twice = (x: Tensor): Tensor => kernels.add(x, x);
  const two = twice(ones);
  const flat = kernels.reshape(two, [rows * width]);
  const part = kernels.columns(two, 64, 64);
  const whole = kernels.joinColumns([kernels.columns(two, 0, 64), part]);
  kernels.free(two, part);
  const four = twice(whole);
  // Whoever got the freed memory would have written over it.
  for (const [tensor, value] of [
    [flat, 2],
    [whole, 2],
    [four, 4],
  ] as const)
    expect(new Set(await kernels.read(tensor))).toEqual(new Set([value]));
  const { dGate, dUp } = kernels.swiGluBackward(four, four, four);
  const before = await kernels.read(dUp);
  kernels.free(dGate);
  const others = [twice(four), kernels.swiGlu(four, four), kernels.copy(four)];
  expect(await kernels.read(dUp)).toEqual(before);
  kernels.free(...others);
  kernels.dispose();
  expect(kernels.liveTensors()).toBe(0);
});

test.skipIf(missing)("an error has PyTorch's reason, and the kernels keep working", async () => {
  const kernels = await createKernels(options);
  const huge = (): unknown => kernels.zeros([2 ** 24, 2 ** 24]);
  expect(huge).toFailWith("device_out_of_memory");
  const two = kernels.upload(Float32Array.of(2), [1, 1]);
  const four = kernels.linear(two, two);
  expect(await kernels.read(four)).toEqual(Float32Array.of(4));
  kernels.free(two, four);
  expect(() => kernels.add(two, two)).toThrow(/after it was freed/);
  expect(kernels.liveTensors()).toBe(0);
});

test.skipIf(missing)("rejects unknown and invalid options by name", async () => {
  for (const [change, message] of [
    [{ dtype: "float16" }, /dtype: expected float32 or bfloat16, got float16/],
    [{ device: "tpu" }, /device: expected cpu, cuda or mps, got tpu/],
    [{ threads: 0 }, /threads: .*got 0/],
    [{ colour: "red" }, /unknown option colour/],
  ] as const)
    await expect(createKernels({ ...options, ...change })).rejects.toThrow(message);
});
