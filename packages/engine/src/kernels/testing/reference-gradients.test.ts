import { expect, test } from "vitest";
import type { Kernels, Tensor } from "../contract.ts";
import { attentionShapeOf } from "./cases/attention-cases.ts";
import { Bench } from "./cases/bench.ts";
import { createReferenceKernels } from "./index.ts";

type Tensors = Readonly<Record<string, Tensor>>;

interface Differentiable {
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  forward(kernels: Kernels, inputs: Tensors, bench: Bench): Tensor;
  backward(kernels: Kernels, dOut: Tensor, inputs: Tensors, bench: Bench): Tensors;
}

const shape = attentionShapeOf(4, 2, 6);
const targets = [3, 0, 4, 4, 1];

const kernelsUnderTest: Readonly<Record<string, Differentiable>> = {
  gatherRows: {
    inputs: { table: [5, 3] },
    forward: (k, { table }, b) => k.gatherRows(table as Tensor, b.ints("rows", targets)),
    backward: (k, dOut, _, b) => ({ table: k.scatterAddRows(dOut, b.ints("rows", targets), 5) }),
  },
  linear: {
    inputs: { x: [4, 3], weight: [5, 3], bias: [5] },
    forward: (k, { x, weight, bias }) => k.linear(x as Tensor, weight as Tensor, bias),
    backward: (k, dOut, { x, weight }) => {
      const { dX, dWeight, dBias } = k.linearBackward(dOut, x as Tensor, weight as Tensor, {
        input: true,
        weight: true,
        bias: true,
      });
      return { x: dX as Tensor, weight: dWeight as Tensor, bias: dBias as Tensor };
    },
  },
  rmsNorm: {
    inputs: { x: [4, 6], weight: [6] },
    forward: (k, { x, weight }) => k.rmsNorm(x as Tensor, weight as Tensor, 1e-2).out,
    backward: (k, dOut, { x, weight }) => {
      const { invRms } = k.rmsNorm(x as Tensor, weight as Tensor, 1e-2);
      const { dX, dWeight } = k.rmsNormBackward(dOut, x as Tensor, weight as Tensor, invRms);
      return { x: dX, weight: dWeight };
    },
  },
  rotary: {
    inputs: { x: [4, 12] },
    forward: (k, { x }, b) => k.rotary(x as Tensor, b.rotaryTables(9, 6), b.ints("positions", [0, 3, 8, 1]), 2),
    backward: (k, dOut, _, b) => ({
      x: k.rotary(dOut, b.rotaryTables(9, 6), b.ints("positions", [0, 3, 8, 1]), 2, true),
    }),
  },
  attention: {
    inputs: { q: [8, 24], k: [8, 12], v: [8, 12] },
    forward: (kernels, { q, k, v }, b) =>
      kernels.attention(q as Tensor, k as Tensor, v as Tensor, shape, b.layout([5, 1, 2])).out,
    backward: (kernels, dOut, inputs, b) => {
      const { q, k, v } = inputs as { q: Tensor; k: Tensor; v: Tensor };
      const layout = b.layout([5, 1, 2]);
      const saved = { q, k, v, ...kernels.attention(q, k, v, shape, layout) };
      const { dQ, dK, dV } = kernels.attentionBackward(dOut, saved, shape, layout);
      return { q: dQ, k: dK, v: dV };
    },
  },
  swiGlu: {
    inputs: { gate: [3, 5], up: [3, 5] },
    forward: (k, { gate, up }) => k.swiGlu(gate as Tensor, up as Tensor),
    backward: (k, dOut, { gate, up }) => {
      const { dGate, dUp } = k.swiGluBackward(dOut, gate as Tensor, up as Tensor);
      return { gate: dGate, up: dUp };
    },
  },
  headLogProbs: {
    inputs: { hidden: [5, 6], weight: [7, 6] },
    forward: (k, { hidden, weight }, b) =>
      k.headLogProbs(hidden as Tensor, weight as Tensor, b.ints("t", targets), b.values("beta", [1, 0.5, 2, 1, 1.25]))
        .logProbs,
    backward: (k, dOut, inputs, b) => {
      const { hidden, weight } = inputs as { hidden: Tensor; weight: Tensor };
      const [t, inverseTemperature] = [b.ints("t", targets), b.values("beta", [1, 0.5, 2, 1, 1.25])];
      const { logSumExp } = k.headLogProbs(hidden, weight, t, inverseTemperature);
      const { dHidden, dWeight } = k.headLogProbsBackward(
        dOut,
        {
          hidden,
          weight,
          targets: t,
          inverseTemperature,
          logSumExp,
        },
        { weight: true },
      );
      return { hidden: dHidden, weight: dWeight as Tensor };
    },
  },
};

test.each(Object.entries(kernelsUnderTest))(
  "the gradients of %s agree with central differences",
  async (name, item) => {
    const kernels = createReferenceKernels();
    const bench = new Bench(kernels);
    const values: Record<string, Float64Array> = {};
    for (const [key, size] of Object.entries(item.inputs))
      values[key] = (await kernels.read(bench.floats(`${name} ${key}`, size))) as Float64Array;
    const upload = (): Tensors =>
      Object.fromEntries(
        Object.entries(item.inputs).map(([key, size]) => [key, kernels.upload(values[key] as Float64Array, size)]),
      );

    const out = item.forward(kernels, upload(), bench);
    const dOut = bench.floats(`${name} dOut`, out.shape);
    const weights = (await kernels.read(dOut)) as Float64Array;
    const loss = async (): Promise<number> => {
      const outputs = await kernels.read(item.forward(kernels, upload(), bench));
      return weights.reduce((sum, weight, i) => sum + weight * (outputs[i] as number), 0);
    };

    const gradients = item.backward(kernels, dOut, upload(), bench);
    expect(Object.keys(gradients)).toEqual(Object.keys(item.inputs));
    for (const [key, gradient] of Object.entries(gradients)) {
      const analytic = await kernels.read(gradient);
      const entries = values[key] as Float64Array;
      expect(analytic.length).toBe(entries.length);
      const numeric: number[] = [];
      const step = 1e-5;
      for (const [i, value] of entries.entries()) {
        entries[i] = value + step;
        const above = await loss();
        entries[i] = value - step;
        numeric.push((above - (await loss())) / (2 * step));
        entries[i] = value;
      }
      const largest = Math.max(...numeric.map(Math.abs));
      expect(largest).toBeGreaterThan(1e-2);
      numeric.forEach((dLogProb, i) =>
        expect(Math.abs(dLogProb - (analytic[i] as number)), `d ${key}[${i}]`).toBeLessThan(1e-8 * largest),
      );
    }
  },
);
