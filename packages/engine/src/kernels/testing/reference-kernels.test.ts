import { expect, test } from "vitest";
import type { Tensor } from "../contract.ts";
import { attentionShapeOf } from "./cases/attention-cases.ts";
import { Bench } from "./cases/bench.ts";
import { createKernels, createReferenceKernels, referenceKernels } from "./index.ts";

const kernels = createReferenceKernels();
const bench = new Bench(kernels);
const tensor = (values: readonly number[], ...shape: number[]): Tensor =>
  kernels.upload(Float64Array.from(values), shape);

async function expectNumbers(actual: Tensor, expected: readonly number[]): Promise<void> {
  const values = await kernels.read(actual);
  expect(values).toHaveLength(expected.length);
  expected.forEach((value, i) => expect(values[i]).toBeCloseTo(value, 12));
}

test("linear is x weight^T + bias", async () => {
  const out = kernels.linear(tensor([1, 2, 3, 4], 2, 2), tensor([1, 0, 1, 1, 0, 2], 3, 2), tensor([10, 20, 30], 3));
  await expectNumbers(out, [11, 23, 34, 13, 27, 38]);
});

test("rmsNorm divides by the root of the mean square", async () => {
  const { out, invRms } = kernels.rmsNorm(tensor([3, 4, 1, -1], 2, 2), tensor([1, 2], 2), 0);
  await expectNumbers(invRms, [Math.sqrt(2) / 5, 1]);
  await expectNumbers(out, [3 * (Math.SQRT2 / 5), 8 * (Math.SQRT2 / 5), 1, -2]);
});

test("rotary turns the halves of a head against each other", async () => {
  const [zero, quarter] = [0, Math.PI / 2];
  const angles = [zero, zero, quarter, zero];
  const tables = { cos: tensor(angles.map(Math.cos), 2, 2), sin: tensor(angles.map(Math.sin), 2, 2) };
  const x = tensor([1, 2, 3, 4, 1, 2, 3, 4], 2, 4);
  await expectNumbers(kernels.rotary(x, tables, bench.ints("p", [0, 1]), 1), [1, 2, 3, 4, -3, 2, 1, 4]);
});

test("attention is causal, keeps sequences apart and shares key/value heads", async () => {
  const shape = { ...attentionShapeOf(2, 1, 2), scale: 1 };
  const q = tensor([0, 0, 0, 0, Math.log(3), 0, 0, Math.log(4), 9, 9, 9, 9], 3, 4);
  const [k, v] = [tensor([1, 1, 0, 0, 5, 5], 3, 2), tensor([8, 0, 0, 20, 7, 7], 3, 2)];
  const { out, logSumExp } = kernels.attention(q, k, v, shape, bench.layout([2, 1]));
  await expectNumbers(out, [8, 0, 8, 0, 6, 5, 6.4, 4, 7, 7, 7, 7]);
  await expectNumbers(logSumExp, [0, 0, Math.log(4), Math.log(5), 90, 90]);
});

test("swiGlu is gate sigmoid(gate) up", async () => {
  await expectNumbers(kernels.swiGlu(tensor([0, Math.log(3)], 1, 2), tensor([5, 4], 1, 2)), [0, 3 * Math.log(3)]);
});

test("headLogProbs gives log-prob, entropy and log-sum-exp at the temperature", async () => {
  const weight = tensor([0, Math.log(2), Math.log(5)], 3, 1);
  const { logProbs, entropy, logSumExp } = kernels.headLogProbs(
    tensor([1, 1], 2, 1),
    weight,
    bench.ints("t", [2, 1]),
    tensor([1, 2], 2),
  );
  await expectNumbers(logSumExp, [Math.log(8), Math.log(30)]);
  await expectNumbers(logProbs, [Math.log(5 / 8), Math.log(4 / 30)]);
  const entropyOf = (...ps: number[]): number => -ps.reduce((sum, p) => sum + p * Math.log(p), 0);
  await expectNumbers(entropy, [entropyOf(1 / 8, 2 / 8, 5 / 8), entropyOf(1 / 30, 4 / 30, 25 / 30)]);
});

test("adamW follows PyTorch's torch.optim.AdamW", async () => {
  // torch 2.13, float64: param [1, -2], gradients [0.5, -1] then [0.25, 3], lr 0.1, betas (0.8, 0.9), eps 1e-3, decay 0.5.
  const [param, first, second] = [tensor([1, -2], 2), kernels.zeros([2]), kernels.zeros([2])];
  const settings = { learningRate: 0.1, beta1: 0.8, beta2: 0.9, epsilon: 1e-3, weightDecay: 0.5 };
  kernels.adamW([{ param, grad: tensor([0.5, -1], 2), first, second }], { ...settings, step: 1 });
  kernels.adamW([{ param, grad: tensor([0.25, 3], 2), first, second }], { ...settings, step: 2 });
  await expectNumbers(param, [0.7150954380644503, -1.7636152818904467]);
});

test("indices outside a table are refused", () => {
  const table = kernels.zeros([3, 2]);
  for (const row of [-1, 3])
    expect(() => kernels.gatherRows(table, bench.ints("rows", [0, row]))).toThrow(`entry 1 is ${row}, outside 0..2`);
});

test("a layout that says one thing to the host and another to the device is refused", () => {
  const [q, layout] = [kernels.zeros([3, 4]), bench.layout([2, 1])];
  const two = { ...layout, offsetsOnDevice: bench.ints("other", [0, 1, 3]) };
  expect(() => kernels.attention(q, q, q, attentionShapeOf(1, 1, 4), two)).toThrow("differ");
});

test("a tensor of another kernel set is refused", () => {
  expect(() => createReferenceKernels().copy(kernels.zeros([1]))).toThrow("another kernel set");
  const foreign: Tensor = { shape: [1], dtype: "float" };
  expect(() => kernels.copy(foreign)).toThrow("another kernel set");
});

test("a cache position that was never written shows as NaN", async () => {
  const cache = kernels.createCache({ pages: 1, pageSize: 3, kvHeads: 1, headDim: 2 });
  const one = tensor([1, 1], 1, 2);
  const out = kernels.attentionCached(one, one, one, cache, attentionShapeOf(1, 1, 2), bench.plan([1], [0], [2]));
  expect(await kernels.read(out)).toEqual(Float64Array.of(NaN, NaN));
});

test("a worker finds the same kernels by their source", async () => {
  const { device, module } = referenceKernels();
  const own = await createKernels({});
  expect(own.device).toBe(device);
  expect(module).toMatch(/reference-kernels\.ts$/);
});

test("dispose frees everything", () => {
  const own = createReferenceKernels();
  own.zeros([2]);
  own.createCache({ pages: 1, pageSize: 1, kvHeads: 1, headDim: 2 });
  own.dispose();
  expect(own.liveTensors()).toBe(0);
});
