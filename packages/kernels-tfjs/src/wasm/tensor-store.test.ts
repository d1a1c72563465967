import { memory } from "@tensorflow/tfjs-core";
import { beforeAll, expect, test } from "vitest";
import type { Kernels, Tensor } from "@laconic/kernels";
import { createKernels } from "./create-kernels.ts";

let kernels: Kernels;
beforeAll(async () => {
  kernels = await createKernels({});
});

const floats = (values: readonly number[], ...shape: number[]): Tensor =>
  kernels.upload(Float32Array.from(values), shape);

test("TensorFlow.js holds one tensor for each live one, and one more for the transpose of a weight in use", () => {
  const before = memory().numTensors;
  const held = (): number => memory().numTensors - before;
  const [x, weight] = [floats([1, 2], 1, 2), floats([1, 2, 3, 4, 5, 6], 3, 2)];
  expect([held(), kernels.liveTensors()]).toEqual([2, 2]);
  const out = kernels.linear(x, weight);
  expect([held(), kernels.liveTensors()]).toEqual([4, 3]);
  const gradients = kernels.linearBackward(out, x, weight, { input: true, weight: true, bias: true });
  const flat = kernels.reshape(out, [3]);
  expect([held(), kernels.liveTensors()]).toEqual([8, 7]);
  kernels.free(x, weight, out, flat, ...Object.values(gradients));
  expect([held(), kernels.liveTensors()]).toEqual([0, 0]);
});

test("training steps leave nothing behind", () => {
  const weight = floats([1, 2, 3, 4], 2, 2);
  const moments = { first: kernels.zeros([2, 2]), second: kernels.zeros([2, 2]) };
  const step = (count: number): void =>
    kernels.scope(() => {
      const x = floats([1, -1], 1, 2);
      const { dWeight } = kernels.linearBackward(kernels.linear(x, weight), x, weight, {
        input: true,
        weight: true,
        bias: false,
      });
      const settings = { learningRate: 0.1, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0 };
      kernels.adamW([{ param: weight, grad: dWeight as Tensor, ...moments }], { ...settings, step: count });
    });
  step(1);
  const before = { tensors: memory().numTensors, data: memory().numDataBuffers, live: kernels.liveTensors() };
  for (let count = 2; count < 50; count++) step(count);
  expect({ tensors: memory().numTensors, data: memory().numDataBuffers, live: kernels.liveTensors() }).toEqual(before);
  kernels.free(weight, moments.first, moments.second);
});

test("a weight that is accumulated into after its use is seen by the next product, forward and backward", async () => {
  const [x, weight, delta] = [floats([1, 1], 1, 2), floats([1, 2, 3, 4], 2, 2), floats([10, 10, 10, 10], 2, 2)];
  const results = async (): Promise<(readonly number[])[]> => {
    const out = kernels.linear(x, weight);
    const { dX, dWeight } = kernels.linearBackward(x, x, weight, { input: true, weight: true, bias: false });
    const values = [[...(await kernels.read(out))], [...(await kernels.read(dX as Tensor))]];
    kernels.free(out, dX as Tensor, dWeight as Tensor);
    return values;
  };
  expect(await results()).toEqual([
    [3, 7],
    [4, 6],
  ]);
  kernels.accumulate(weight, delta);
  expect(await results()).toEqual([
    [23, 27],
    [24, 26],
  ]);
  kernels.free(x, weight, delta);
});

test("a reshaped tensor keeps its values when the original changes", async () => {
  const [original, delta] = [floats([1, 2], 2), floats([5, 5], 2)];
  const reshaped = kernels.reshape(original, [1, 2]);
  kernels.accumulate(original, delta);
  expect([...(await kernels.read(original))]).toEqual([6, 7]);
  expect([...(await kernels.read(reshaped))]).toEqual([1, 2]);
  kernels.free(original, delta, reshaped);
});

test("values survive when the memory grows and its buffer is replaced", async () => {
  const small = floats([1, 2, 3], 3);
  const large = Array.from({ length: 12 }, () => kernels.zeros([1 << 21]));
  const sum = kernels.add(small, small);
  expect([...(await kernels.read(small))]).toEqual([1, 2, 3]);
  expect([...(await kernels.read(sum))]).toEqual([2, 4, 6]);
  expect(new Set(await kernels.read(large[11] as Tensor))).toEqual(new Set([0]));
  kernels.free(small, sum, ...large);
});

/** Runs a call that must fail for want of memory and leave everything as it was. */
async function expectFull(call: () => unknown): Promise<void> {
  const counts = (): number[] => [kernels.liveTensors(), memory().numTensors, memory().numDataBuffers];
  const before = counts();
  expect(call).toThrow("no room for an array");
  expect(counts()).toEqual(before);
  const sum = kernels.scope(() => kernels.add(floats([4], 1), floats([4], 1)));
  expect([...(await kernels.read(sum))]).toEqual([8]);
  kernels.free(sum);
}

test.each([2 ** 29, 2 ** 30 - 1024, 2 ** 30, 2 ** 31])("an array of %i floats is refused", async (length) => {
  await expectFull(() => kernels.scope(() => kernels.zeros([length])));
  await expectFull(() =>
    kernels.scope(() => kernels.linear(kernels.zeros([length / 256, 1]), kernels.zeros([256, 1]))),
  );
});

test("a full memory is an error, and freeing makes room again", async () => {
  const size = { pages: 1, pageSize: 2 ** 18, kvHeads: 1, headDim: 1536 };
  const cache = kernels.createCache(size);
  await expectFull(() => kernels.createCache(size));
  kernels.freeCache(cache);
  kernels.freeCache(kernels.createCache(size));
});

test("an index outside the table is named instead of read or written elsewhere", () => {
  kernels.scope(() => {
    const [table, rows] = [floats([1, 2, 3, 4], 2, 2), kernels.upload(Int32Array.of(0, 2), [2])];
    expect(() => kernels.gatherRows(table, rows)).toThrow("index 2 at position 1 is outside [0, 2)");
    expect(() => kernels.scatterAddRows(table, rows, 2)).toThrow("index 2 at position 1");
    const negative = kernels.upload(Int32Array.of(-1, 0), [2]);
    expect(() => kernels.gatherRows(table, negative)).toThrow("index -1 at position 0");
    const inverseTemperature = floats([1, 1], 2);
    expect(() => kernels.headLogProbs(table, table, rows, inverseTemperature)).toThrow("targets: index 2");
    expect(() => kernels.rotary(table, { cos: floats([1], 1, 1), sin: floats([0], 1, 1) }, rows, 1)).toThrow(
      "positions: index 2 at position 1 is outside [0, 1)",
    );
  });
});
