import { randomFromSeed } from "@laconic/core";
import type { Kernels, Tensor } from "../kernels/index.ts";
import { beforeAll, expect, test } from "vitest";
import { createKernels } from "./wasm-kernels.ts";

let kernels: Kernels;
beforeAll(async () => {
  kernels = await createKernels({});
});

const upload = (values: readonly number[], ...shape: number[]): Tensor =>
  kernels.upload(Float32Array.from(values), shape);

async function take(tensor: Tensor): Promise<number[]> {
  const values = [...(await kernels.read(tensor))];
  kernels.free(tensor);
  return values;
}

/** Log-probs over a vocabulary whose logits are given outright: the hidden state is 1. */
function head(logits: readonly number[], target = 0) {
  const hidden = upload([1], 1, 1);
  const weight = upload(logits, logits.length, 1);
  const targets = kernels.upload(Int32Array.of(target), [1]);
  const inverseTemperature = upload([1], 1);
  return { hidden, weight, targets, inverseTemperature };
}

test("silu, and with it exp, has a relative error below 4e-7 from -60 to 60", async () => {
  const random = randomFromSeed("silu");
  const gate = Float32Array.from({ length: 20_000 }, () => 120 * random.uniform() - 60);
  const ones = new Float32Array(gate.length).fill(1);
  const out = kernels.scope(() => kernels.swiGlu(upload([...gate], 1, gate.length), upload([...ones], 1, gate.length)));
  expect(await take(out)).toBeAllclose(
    Array.from(gate, (x) => x / (1 + Math.exp(-x))),
    { relative: 4e-7, absolute: 0 },
  );
});

test.each([1, 2, 3, 45, 1000, 100_000])("log sum exp of %i equal logits is their logarithm", async (count) => {
  const { logSumExp, entropy, logProbs } = kernels.scope(() => {
    const input = head(new Array<number>(count).fill(0.5));
    return kernels.headLogProbs(input.hidden, input.weight, input.targets, input.inverseTemperature);
  });
  const results = [await take(logSumExp), await take(entropy), await take(logProbs)].flat();
  expect(results).toBeAllclose([0.5 + Math.log(count), Math.log(count), -Math.log(count)], {
    relative: 2e-7,
    absolute: 2e-7,
  });
});

test("sums over 20,000 rows are within 4e-6 of the exact ones; a running float32 sum would be 3e-4 off", async () => {
  const rows = 20_000;
  const value = Math.fround(0.1);
  const { dWeight, dBias } = kernels.scope(() => {
    const x = upload(new Array<number>(rows).fill(value), rows, 1);
    return kernels.linearBackward(x, x, upload([1], 1, 1), { input: false, weight: true, bias: true });
  });
  const norm = kernels.scope(() => {
    const x = upload(new Array<number>(rows).fill(value), rows, 1);
    const weight = upload([1], 1);
    const { invRms } = kernels.rmsNorm(x, weight, 0);
    return kernels.rmsNormBackward(x, x, weight, invRms).dWeight;
  });
  const squares = kernels.scope(() => kernels.sumSquares([upload(new Array<number>(rows).fill(value), rows)]));
  const sums = [
    await take(dWeight as Tensor),
    await take(dBias as Tensor),
    await take(norm),
    await take(squares),
  ].flat();
  expect(sums).toBeAllclose([rows * value ** 2, rows * value, rows * value, rows * value ** 2], { relative: 4e-6 });
});

test("a token with a share below e^-64 gets a gradient of exactly 0, not a subnormal number", async () => {
  const { dWeight } = kernels.scope(() => {
    const input = head([0, -60, -70, -90]);
    const { logSumExp } = kernels.headLogProbs(input.hidden, input.weight, input.targets, input.inverseTemperature);
    return kernels.headLogProbsBackward(upload([1e-3], 1), { ...input, logSumExp }, { weight: true });
  });
  const [, likely, ...rest] = await take(dWeight as Tensor);
  expect(likely).toBeLessThan(-1e-30);
  expect(rest).toEqual([0, 0]);
});

test("NaN comes through every softmax", async () => {
  const broken = kernels.scope(() => {
    const input = head([0, Number.NaN, 1]);
    const shape = { queryHeads: 1, kvHeads: 1, headDim: 4, scale: 1 };
    const offsets = Int32Array.of(0, 2);
    const layout = { offsets, offsetsOnDevice: kernels.upload(offsets, [2]), longest: 2 };
    const q = upload([1, 1, 1, 1, 1, 1, 1, Number.NaN], 2, 4);
    const v = upload([1, 2, 3, 4, 5, 6, 7, 8], 2, 4);
    const { out, logSumExp } = kernels.attention(q, v, v, shape, layout);
    const one = Float32Array.of(1);
    const settings = {
      temperature: one,
      topK: Int32Array.of(0),
      topP: one,
      minP: Float32Array.of(0),
      uniform: Float32Array.of(0.5),
    };
    return {
      logProbs: kernels.headLogProbs(input.hidden, input.weight, input.targets, input.inverseTemperature).logProbs,
      sampled: kernels.sampleTokens(upload([0, Number.NaN, 1], 1, 3), settings).logProbs,
      out,
      logSumExp,
    };
  });
  expect(await take(broken.logProbs)).toEqual([Number.NaN]);
  expect(await take(broken.sampled)).toEqual([Number.NaN]);
  expect((await take(broken.out)).slice(4)).toEqual(new Array(4).fill(Number.NaN));
  expect((await take(broken.logSumExp)).map(Number.isNaN)).toEqual([false, true]);
});
