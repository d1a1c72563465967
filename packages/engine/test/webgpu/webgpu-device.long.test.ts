import { randomFromSeed } from "@laconic/core";
import { createInlineEngine, createLocalEngine } from "../../src/index.ts";
import { engineCases } from "../../src/testing/index.ts";
import { ancestorRuns, type Kernels, type SequenceLayout, type Tensor } from "../../src/kernels/index.ts";
import { createReferenceKernels, kernelCases } from "../../src/kernels/testing/index.ts";
import { afterAll, describe, expect, test } from "vitest";
import { openWebGpu } from "#webgpu";
import { webGpuKernelSet } from "../../src/webgpu/webgpu-kernels.ts";
import { openDevice } from "./open-device.ts";

const slow = { timeout: 180_000 };
const { kernels: opened, missing, source } = await openDevice();
afterAll(() => opened?.dispose());

describe.sequential("the webgpu device", () => {
  test("is available", ({ skip }) => skip(missing !== null, missing ?? ""));
  if (!opened) return;
  for (const { name, run } of kernelCases) test(name, slow, () => run(() => opened));
  // The engine closes its kernels; these stay for the next case.
  const shared = { ...opened, dispose: () => undefined };
  // All of them at night: an engine asks no more of kernels than their own suite does.
  for (const { name, run } of engineCases.filter((_, i) => i % 4 === 0))
    test(`engine: ${name}`, slow, () => run(async () => createInlineEngine([shared])));

  test("runs on a worker thread and lets the process end", slow, async () => {
    const engine = await createLocalEngine({ device: source });
    expect(engine.capabilities).toMatchObject({ device: "webgpu", deterministic: false });
    await engine.close();
  });
});

describe.runIf(opened)("edge cases of shaders", () => {
  const kernels = opened as Kernels;
  const random = randomFromSeed("shaders");
  const numbers = (count: number): Float64Array =>
    Float64Array.from({ length: count }, () => (random.integer(255) - 127) / 64);

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
  ])("multiplies %d rows, %d -> %d", async (rows, inner, outer) => {
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

  test("samples from a vocabulary of 5,000 shared by 256 threads", async () => {
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

  test("multiplies more matrices than one program can bind", async () => {
    const values = [3, 1, 4, 1, 5, 9, 2, 6, 5].map((width) => numbers(7 * width));
    await both((set) => {
      const parts = values.map((item) => set.upload(item, [7, item.length / 7]));
      return { joined: set.joinColumns(parts), part: set.columns(set.joinColumns(parts), 8, 11) };
    });
  });

  test("adds repeated gradient rows across workgroups to existing values", async () => {
    const [count, rows, width] = [300, 7, 70];
    const ids = Int32Array.from({ length: count }, (_, i) => (i * i) % rows);
    const [delta, held] = [numbers(count * width), numbers(rows * width)];
    await both((set) => {
      const [D, I] = [set.upload(delta, [count, width]), set.upload(ids, [count])];
      const [sum, alone] = [set.upload(held, [rows, width], "full"), set.upload(held, [rows, width], "full")];
      set.placeRows({ tensor: sum, add: true }, D, I);
      set.placeRows({ tensor: alone, add: false }, D, I);
      return { sum, alone, scattered: set.scatterAddRows(D, I, rows) };
    });
  });

  test("adding a tensor to itself leaves its copies unchanged", async () => {
    const values = numbers(12);
    await both((set) => {
      const doubled = set.upload(values, [4, 3]);
      const [copy, reshaped] = [set.copy(doubled), set.reshape(doubled, [12])];
      set.accumulate(doubled, doubled);
      return { doubled, copy, reshaped };
    });
  });

  test("the next read reports a lost GPU", async () => {
    const gpu = await openWebGpu(source.options?.["modules"] as string);
    const set = webGpuKernelSet(gpu);
    const reading = set.read(set.upload(numbers(4), [4]));
    gpu.device.destroy();
    const lost = { code: "engine_failed", message: expect.stringContaining("the GPU was lost (destroyed)") };
    await expect(reading).rejects.toMatchObject(lost);
    await expect(set.read(set.zeros([4]))).rejects.toMatchObject(lost);
  });

  test("reuses freed memory, and uploads wait for its readers", async () => {
    const [first, second] = [numbers(64), numbers(64)];
    await both((set) => {
      const x = set.upload(first, [8, 8]);
      const sum = set.add(x, x);
      set.free(x);
      const y = set.upload(second, [8, 8]);
      return { sum, y };
    });
  });

  // Blocks of 64 rows that begin within a segment, and that cross segments and trees.
  test("attention over a tree equals attention over its paths and repeats itself", async () => {
    const lengths = [70, 9, 3, 50, 1, 30, 40, 66, 2, 5];
    const parents = Int32Array.of(-1, 0, 1, 1, 0, 0, -1, 6, 6, -1);
    const offsets = [0, ...lengths].map((_, s) => lengths.slice(0, s).reduce((sum, length) => sum + length, 0));
    const shape = { queryHeads: 4, kvHeads: 2, headDim: 8, scale: 0.4 };
    const rows = offsets.at(-1) as number;
    const [q, k, v, dOut] = [32, 16, 16, 32].map((width) => kernels.upload(numbers(rows * width), [rows, width])) as [
      Tensor,
      Tensor,
      Tensor,
      Tensor,
    ];
    const layoutOf = (bounds: readonly number[], longest: number): SequenceLayout => {
      const [input, shape_S] = [Int32Array.from(bounds), [bounds.length]];
      return { offsets: input, offsetsOnDevice: kernels.upload(input, shape_S), longest };
    };
    const tree = { parents, parentsOnDevice: kernels.upload(parents, [parents.length]) };
    const layout = { ...layoutOf(offsets, 129), tree };
    const passes = async (): Promise<unknown[]> => {
      const { out, logSumExp } = kernels.attention(q, k, v, shape, layout);
      const gradients = kernels.attentionBackward(dOut, { q, k, v, out, logSumExp }, shape, layout);
      const made = [out, logSumExp, ...Object.values(gradients)];
      const read = await Promise.all(made.map((tensor) => kernels.read(tensor)));
      kernels.free(...made);
      return read;
    };
    const first = await passes();
    expect(await passes()).toEqual(first);
    for (let s = 0; s < lengths.length; s++) {
      const path = ancestorRuns(layout, s).flatMap(({ start, end }) =>
        Array.from({ length: end - start }, (_, i) => start + i),
      );
      const picked = kernels.upload(Int32Array.from(path), [path.length]);
      const alone = layoutOf([0, path.length], path.length);
      const [qs, ks, vs] = [q, k, v].map((x) => kernels.pickRows(x, picked)) as [Tensor, Tensor, Tensor];
      const { out, logSumExp } = kernels.attention(qs, ks, vs, shape, alone);
      const whole = await kernels.read(out);
      const expected = path.flatMap((row) => [...(first[0] as Float32Array).subarray(32 * row, 32 * (row + 1))]);
      expect(whole, `segment ${s}`).toBeAllclose(expected, { relative: 1e-6, absolute: 1e-6 });
      kernels.free(picked, alone.offsetsOnDevice, qs, ks, vs, out, logSumExp);
    }
    kernels.free(q, k, v, dOut, layout.offsetsOnDevice, tree.parentsOnDevice);
  });

  test("a product is one operation with counted transfers", async () => {
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
    expect(after.bytesToDevice - before.bytesToDevice).toBe(512 + 36);
  });
});

interface Side {
  readonly set: Kernels;
  readonly made: Readonly<Record<string, Tensor>>;
}

interface Counting {
  counters(): Readonly<Record<"operations" | "bytesToHost" | "bytesToDevice", number>>;
}
