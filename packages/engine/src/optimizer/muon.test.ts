import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import { muonStep } from "./muon.ts";

type Matrix = number[][];

const product = (x: Matrix, y: Matrix): Matrix =>
  x.map((row) => (y[0] ?? []).map((_, j) => row.reduce((sum, value, k) => sum + value * (y[k]?.[j] ?? 0), 0)));
const transposed = (x: Matrix): Matrix => (x[0] ?? []).map((_, j) => x.map((row) => row[j] ?? 0));
const combined = (x: Matrix, s: number, y: Matrix, t: number): Matrix =>
  x.map((row, i) => row.map((value, j) => s * value + t * (y[i]?.[j] ?? 0)));

function plainStep(param: Matrix, gradient: Matrix, buffer: Matrix): { param: Matrix; buffer: Matrix } {
  const next = combined(buffer, 0.95, gradient, 0.05);
  const update = combined(gradient, 0.05, next, 0.95);
  const isTall = update.length > (update[0]?.length ?? 0);
  const norm = Math.sqrt(update.flat().reduce((sum, value) => sum + value * value, 0));
  let x = combined(isTall ? transposed(update) : update, 1 / norm, [], 0);
  for (let i = 0; i < 5; i++) {
    const gram = product(x, transposed(x));
    x = combined(x, 3.4445, product(combined(gram, -4.775, product(gram, gram), 2.0315), x), 1);
  }
  const [rows, columns] = [update.length, update[0]?.length ?? 1];
  const rate = 0.02 * Math.sqrt(Math.max(1, rows / columns));
  return { param: combined(param, 1 - 0.02 * 0.1, isTall ? transposed(x) : x, -rate), buffer: next };
}

test.each([
  [3, 5],
  [5, 3],
])("two steps on a matrix of %i x %i equal plain loops", async (rows, columns) => {
  const kernels = createReferenceKernels();
  const random = randomFromSeed(`${rows} ${columns}`);
  const draw = (): Matrix => Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal()));
  const upload = (matrix: Matrix) => kernels.upload(Float64Array.from(matrix.flat()), [rows, columns]);
  let plain = { param: draw(), buffer: draw().map((row) => row.map(() => 0)) };
  const [param, first, second] = [upload(plain.param), upload(plain.buffer), upload(plain.buffer)];
  const held = kernels.liveTensors();
  for (const gradient of [draw(), draw()]) {
    const grad = upload(gradient);
    await muonStep(kernels, [{ param, grad, first, second }], { learningRate: 0.02, weightDecay: 0.1 });
    kernels.free(grad);
    plain = plainStep(plain.param, gradient, plain.buffer);
    const values = [...(await kernels.read(param))];
    for (const [i, value] of plain.param.flat().entries()) expect(values[i]).toBeCloseTo(value, 9);
  }
  expect(kernels.liveTensors()).toBe(held);
});
