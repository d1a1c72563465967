import type { OptimizerSettings } from "@laconic/core";
import { expect, test } from "vitest";
import type { Tensor } from "../kernels/index.ts";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import type { TensorSource } from "../transformer/parameters.ts";
import { AdamW, type OptimizerPlace } from "./adamw.ts";

const settings: OptimizerSettings = {
  learningRate: 0.1,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0.5,
  maxGradNorm: Infinity,
};

function setUp(place: OptimizerPlace = "device"): {
  kernels: ReturnType<typeof createReferenceKernels>;
  optimizer: AdamW;
  model: ModelOnDevice;
  step: (gradient: readonly number[], change?: Partial<OptimizerSettings>) => ReturnType<AdamW["step"]>;
  values: () => Promise<number[]>;
} {
  const kernels = createReferenceKernels();
  const upload = (values: readonly number[], shape: readonly number[]): Tensor =>
    kernels.upload(Float64Array.from(values), shape);
  const parameters = new Map([
    ["matrix", upload([1, -2], [1, 2])],
    ["bias", upload([3], [1])],
  ]);
  const optimizer = new AdamW(kernels, place);
  const model = { parameters } as unknown as ModelOnDevice;
  return {
    kernels,
    optimizer,
    model,
    step: async ([a = 0, b = 0, c = 0], change = {}) => {
      const gradients = new Map([
        ["matrix", upload([a, b], [1, 2])],
        ["bias", upload([c], [1])],
      ]);
      const result = await optimizer.step(model, gradients, {
        ...settings,
        ...change,
      });
      kernels.free(...gradients.values());
      return result;
    },
    values: async () => {
      const read = await Promise.all([...parameters.values()].map((tensor) => kernels.read(tensor)));
      return read.flatMap((part) => [...part]);
    },
  };
}

test("the first step moves by the learning rate against the gradient's sign; only matrices decay", async () => {
  const { step, values } = setUp();
  expect(await step([3, -4, 12])).toEqual({ gradNorm: 13, applied: true, step: 1 });
  const [a, b, c] = await values();
  expect(a).toBeCloseTo(1 * 0.95 - 0.1, 8);
  expect(b).toBeCloseTo(-2 * 0.95 + 0.1, 8);
  expect(c).toBeCloseTo(3 - 0.1, 8);
});

test("the second step mixes bias-corrected moments", async () => {
  const { step, values } = setUp();
  await step([0, 0, 2]);
  expect(await step([0, 0, -1])).toMatchObject({ step: 2 });
  const m = (0.9 * 0.1 * 2 + 0.1 * -1) / (1 - 0.9 ** 2);
  const v = (0.99 * 0.01 * 4 + 0.01 * 1) / (1 - 0.99 ** 2);
  expect((await values())[2]).toBeCloseTo(3 - 0.1 - (0.1 * m) / Math.sqrt(v), 7);
});

test("clipping scales the whole gradient to the norm and reports the norm before", async () => {
  const [clipped, scaled] = [setUp(), setUp()];
  await clipped.step([1, 1, 1]);
  await scaled.step([1, 1, 1]);
  expect((await clipped.step([6, 0, 8], { maxGradNorm: 5 })).gradNorm).toBe(10);
  await scaled.step([3, 0, 4]);
  expect(await clipped.values()).toEqual(await scaled.values());
});

const places = ["device", "host"] as const;

test.each(places.flatMap((place) => [NaN, Infinity].map((bad) => ({ place, bad }))))(
  "ignores a gradient with $bad, state on the $place",
  async ({ place, bad }) => {
    const { step, values, optimizer } = setUp(place);
    expect(await step([1, bad, 1])).toMatchObject({ applied: false, step: 0 });
    expect(await values()).toEqual([1, -2, 3]);
    expect(optimizer.source("matrix", "first", 0, [1, 2])).toBeNull();
  },
);

test.each(places.flatMap((from) => places.map((to) => ({ from, to }))))(
  "moments saved on the $from continue on the $to as the original, and free leaves nothing",
  async ({ from, to }) => {
    const [original, copy] = [setUp(from), setUp(to)];
    const before = copy.kernels.liveTensors();
    await original.step([1, 2, 3]);
    await copy.step([1, 2, 3]);
    const stored = new Map(
      Array.from(original.model.parameters, ([name, { shape }]) => {
        const source = (kind: "first" | "second"): TensorSource =>
          original.optimizer.source(name, kind, 0, shape) as TensorSource;
        return [name, { first: source("first"), second: source("second") }];
      }),
    );
    await copy.optimizer.restore(copy.model, original.optimizer.steps, stored, new Map());
    expect(await copy.step([-1, 0, 5])).toEqual(await original.step([-1, 0, 5]));
    expect(await copy.values()).toEqual(await original.values());
    copy.optimizer.free();
    expect(copy.kernels.liveTensors()).toBe(before);
  },
);
