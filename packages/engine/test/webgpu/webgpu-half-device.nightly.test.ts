import { createInlineEngine } from "../../src/index.ts";
import { engineCases } from "../../src/testing/index.ts";
import type { Kernels, Tensor } from "../../src/kernels/index.ts";
import { kernelCases } from "../../src/kernels/testing/index.ts";
import { afterAll, describe, expect, test } from "vitest";
import { openDevice } from "./open-device.ts";

const { kernels: opened, missing } = await openDevice("float16");
afterAll(() => opened?.dispose());

/** What of an engine depends on how weights and caches are held; the whole suite is run on float32. */
const held = [
  "the same requests give the same replies, alone or in a batch",
  "the sampler's log-probs are those of the training pass",
  "turns of one conversation go on from its cached prefix, and say the same",
  "log-probs at temperature 1 are the model's own, beside the likeliest tokens",
  "a snapshot stays as it was while training goes on",
  "a saved model continues bit for bit, in a new model and in its own",
  "a gradient that is not finite is refused by place and changes nothing",
  "an adapter saved in PEFT's form continues bit for bit, and is a source of new models",
];

describe.sequential("the webgpu device with weights in half precision", () => {
  test("is available", ({ skip }) => skip(missing !== null, missing ?? ""));
  if (!opened) return;
  const kernels = opened;
  for (const { name, run } of kernelCases) test(name, () => run(() => kernels));

  const chosen = engineCases.filter(({ name }) => held.includes(name));
  test("names cases of the engine", () => expect(chosen).toHaveLength(held.length));
  for (const { name, run } of chosen)
    test(`engine: ${name}`, () => run(async () => createInlineEngine([{ ...kernels, dispose: () => undefined }])));
});

describe.runIf(opened)("weights in half precision", () => {
  const kernels = opened as Kernels;
  const weightOf = (values: Float32Array, shape: readonly number[]): Tensor => {
    const [weight] = kernels.together([shape]) as [Tensor];
    kernels.scope(() => kernels.assign([weight], [kernels.upload(values, shape)]));
    return weight;
  };

  test("are the nearest, or its neighbour, of 11 bits; what is too large is the largest, and vectors are exact", async () => {
    const values = Float32Array.from({ length: 999 }, (_, i) => (i - 499) * 0.0123 * 1.7 ** (i % 13));
    const weight = weightOf(values, [27, 37]);
    const rounded = await kernels.read(weight);
    const error = values.map(
      (value, i) => Math.abs((rounded[i] as number) - value) / Math.max(Math.abs(value), 2 ** -14),
    );
    expect(Math.max(...error)).toBeLessThanOrEqual(2 ** -10);
    expect(Math.max(...error)).toBeGreaterThan(2 ** -13);
    const huge = weightOf(Float32Array.of(1e6, -1e38), [1, 2]);
    expect([...(await kernels.read(huge))]).toEqual([65504, -65504]);
    const vector = weightOf(Float32Array.of(0.1, 0.2), [2]);
    expect([...(await kernels.read(vector))]).toEqual([...Float32Array.of(0.1, 0.2)]);
    kernels.free(weight, huge, vector);
  });

  test.each([
    [3, 8, 12],
    [70, 36, 65],
    [5, 7, 9],
  ])("products of %d rows, %d -> %d sum the rounded weights in float32", async (rows, inner, outer) => {
    const numbers = (count: number, scale: number): Float32Array =>
      Float32Array.from({ length: count }, (_, i) => Math.sin(i * scale) / 3);
    const x = kernels.upload(numbers(rows * inner, 1.7), [rows, inner]);
    const dOut = kernels.upload(numbers(rows * outer, 0.7), [rows, outer]);
    const halves = weightOf(numbers(outer * inner, 2.3), [outer, inner]);
    const exact = kernels.upload(await kernels.read(halves), [outer, inner]);
    const needs = { input: true, weight: false, bias: false };
    for (const of of [
      (weight: Tensor) => kernels.linear(x, weight),
      (weight: Tensor) => kernels.linearBackward(dOut, x, weight, needs).dX as Tensor,
    ]) {
      const [expected, actual] = [of(exact), of(halves)] as const;
      expect(await kernels.read(actual)).toEqual(await kernels.read(expected));
      kernels.free(expected, actual);
    }
    kernels.free(x, dOut, halves, exact);
  });

  test("small steps add up in the exact weights where the rounded ones would stand still", async () => {
    const param = weightOf(new Float32Array(6).fill(1), [2, 3]);
    const [first, second] = [kernels.zeros([2, 3], "full"), kernels.zeros([2, 3], "full")];
    const master = kernels.copy(param, "full");
    for (let step = 1; step <= 20; step++) {
      const grad = kernels.upload(new Float32Array(6).fill(1), [2, 3]);
      kernels.adamW([{ param, grad, first, second, master }], {
        learningRate: 1e-4,
        beta1: 0.9,
        beta2: 0.95,
        epsilon: 1e-8,
        weightDecay: 0,
        step,
      });
      kernels.free(grad);
    }
    expect(await kernels.read(master)).toBeAllclose(new Array(6).fill(0.998), { relative: 1e-5 });
    // Halves lie 2^-11 apart below 1.
    expect(await kernels.read(param)).toBeAllclose(new Array(6).fill(0.998), { relative: 2 ** -11 });
    kernels.free(param, first, second, master);
  });
});
