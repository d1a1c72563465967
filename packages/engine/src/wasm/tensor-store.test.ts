import { beforeAll, expect, test } from "vitest";
import type { Kernels, Tensor } from "../kernels/index.ts";
import { openBinary, startHelper } from "#wasm";
import { ThreadPool } from "./thread-pool.ts";
import { wasmKernelSet } from "./wasm-kernels.ts";
import { WasmMemory } from "./wasm-memory.ts";

let memory: WasmMemory;
let kernels: Kernels;
beforeAll(async () => {
  memory = await WasmMemory.open(await openBinary(false, {}));
  kernels = wasmKernelSet(memory, new ThreadPool(memory, { threads: 1, start: startHelper }));
});

const floats = (values: readonly number[], ...shape: number[]): Tensor =>
  kernels.upload(Float32Array.from(values), shape);

test("memory holds each live tensor once, and the panels of a weight in use", () => {
  const before = memory.used;
  const held = (): number => (memory.used - before) / 4;
  const [x, weight] = [kernels.zeros([1, 16]), kernels.zeros([20, 16])];
  expect([held(), kernels.liveTensors()]).toEqual([16 + 320, 2]);
  const out = kernels.linear(x, weight);
  // Panels are eight columns wide, and an array starts where a cache line does.
  expect([held(), kernels.liveTensors()]).toEqual([16 + 320 + 384 + 32, 3]);
  const gradients = kernels.linearBackward(out, x, weight, { input: true, weight: true, bias: true });
  const flat = kernels.reshape(out, [20]);
  expect([held(), kernels.liveTensors()]).toEqual([16 + 320 + 384 + 32 + 16 + 320 + 32, 7]);
  kernels.accumulate(weight, gradients.dWeight as Tensor);
  expect(held()).toBe(16 + 320 + 32 + 16 + 320 + 32);
  kernels.free(x, weight, out, flat, ...Object.values(gradients));
  expect([held(), kernels.liveTensors()]).toEqual([0, 0]);
});

test("a reshaped tensor keeps its values when the original changes", async () => {
  const [original, delta] = [floats([1, 2], 2), floats([5, 5], 2)];
  const reshaped = kernels.reshape(original, [1, 2]);
  kernels.accumulate(original, delta);
  expect([...(await kernels.read(original))]).toEqual([6, 7]);
  expect([...(await kernels.read(reshaped))]).toEqual([1, 2]);
  kernels.free(original, delta, reshaped);
});

test("data that two tensors share is given back with the last", () => {
  const before = memory.used;
  const original = floats([1, 2], 2);
  const reshaped = kernels.reshape(original, [1, 2]);
  kernels.free(original);
  expect(memory.used).toBeGreaterThan(before);
  kernels.free(reshaped);
  expect(memory.used).toBe(before);
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

async function expectFull(call: () => unknown): Promise<void> {
  const counts = (): number[] => [kernels.liveTensors(), memory.used];
  const before = counts();
  expect(call).toThrow("no space for an array");
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
