import { randomFromSeed } from "@laconic/core";
import type { Kernels, Tensor } from "@laconic/kernels";
import { createReferenceKernels } from "@laconic/kernels/testing";
import { webGpuKernels } from "@laconic/kernels-tfjs";
import { unregisterKernel } from "@tensorflow/tfjs-core";
import { afterAll, describe, expect, test } from "vitest";
import { optionalDevice } from "./optional-device.ts";

const device = await optionalDevice("webgpu", (modules) => webGpuKernels({ modules }));
// Whatever asks for TensorFlow.js's batched product fails.
if (device.kernels) unregisterKernel("BatchMatMul", "webgpu");
afterAll(() => device.close());

describe.sequential("the webgpu device, without TensorFlow.js's products", () => {
  test("is available", ({ skip }) => skip(device.missing !== null, device.missing ?? ""));
  for (const { name, run } of device.cases) test(name, { timeout: 180_000 }, run);
});

describe.runIf(device.kernels)("shaders at their edges", () => {
  const kernels = device.kernels as Kernels;
  const random = randomFromSeed("shaders");
  const numbers = (count: number): Float64Array =>
    Float64Array.from({ length: count }, () => (random.integer(255) - 127) / 64);

  /** The same on both sets; what is named is compared. */
  async function both(compute: (set: Kernels) => Readonly<Record<string, Tensor>>): Promise<void> {
    const [expected, actual] = [createReferenceKernels(), kernels].map((set) => ({
      set,
      made: set.scope(() => compute(set)),
    })) as [Side, Side];
    for (const [name, tensor] of Object.entries(actual.made))
      expect(await actual.set.read(tensor), name).toBeAllclose(await expected.set.read(expected.made[name] as Tensor), {
        relative: 2e-5,
        absolute: 2e-4,
      });
    kernels.free(...Object.values(actual.made));
  }

  // Around the tiles of 16 and 64, in fours and not.
  test.each([
    [15, 16, 17],
    [16, 32, 64],
    [17, 33, 63],
    [63, 5, 65],
    [65, 68, 60],
    [8, 130, 66],
    [9, 4, 128],
    [129, 12, 33],
  ])("products of %d rows, %d -> %d", async (rows, inner, outer) => {
    const [x, weight, bias] = [numbers(rows * inner), numbers(outer * inner), numbers(outer)];
    const dOut = numbers(rows * outer);
    await both((set) => {
      const [X, W] = [set.upload(x, [rows, inner]), set.upload(weight, [outer, inner])];
      const slope = set.upload(dOut, [rows, outer]);
      return {
        out: set.linear(X, W, set.upload(bias, [outer])),
        ...set.linearBackward(slope, X, W, { input: true, weight: true, bias: true }),
      };
    });
  });

  test("tokens of a vocabulary of 5,000, which 256 threads share", async () => {
    const [rows, vocabulary] = [6, 5000];
    const logits = numbers(rows * vocabulary);
    const settings = {
      temperature: Float32Array.of(1, 0, 0.7, 1, 1.3, 1),
      topK: Int32Array.of(0, 0, 50, 0, 0, 7),
      topP: Float32Array.of(1, 1, 1, 0.8, 0.95, 0.5),
      minP: Float32Array.of(0, 0, 0, 0, 0.05, 0),
      uniform: Float32Array.from({ length: rows }, () => random.uniform()),
    };
    await both((set) => {
      const L = set.upload(logits, [rows, vocabulary], "full");
      const tokens = set.upload(Int32Array.of(0, 4999, 17, 2500, 4095, 4096), [rows]);
      return { ...set.sampleTokens(L, settings), log: set.tokenLogProbs(L, tokens, 0).logProbs };
    });
  });

  test("a product is one operation, and counts what crosses to the device and back", async () => {
    const { counters } = kernels as unknown as Counting;
    const before = counters();
    const [x, weight] = [kernels.upload(numbers(64), [8, 8]), kernels.upload(numbers(64), [8, 8])];
    const out = kernels.linear(x, weight);
    await kernels.read(out);
    const after = counters();
    kernels.free(x, weight, out);
    expect(after.operations - before.operations).toBe(1);
    expect(after.bytesToHost - before.bytesToHost).toBe(256);
    // Both matrices, and the uniforms of the dispatch.
    expect(after.bytesToDevice - before.bytesToDevice).toBe(512 + 40);
  });
});

interface Side {
  readonly set: Kernels;
  readonly made: Readonly<Record<string, Tensor>>;
}

interface Counting {
  counters(): Readonly<Record<"operations" | "bytesToHost" | "bytesToDevice", number>>;
}
