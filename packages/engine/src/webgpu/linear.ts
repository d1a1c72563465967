import { matrixSize, type Handle, type Kernels, type Tensor } from "../kernels/index.ts";
import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { type Product, productProgram, tileFor } from "./wgsl/product.ts";
import { columnSumsProgram } from "./wgsl/rms-norm.ts";

type Linear = "linear" | "linearOnto" | "linearBackward" | "headLogits";

export function linearKernels(device: GpuDevice): Pick<Kernels, Linear> {
  /** Zeros for an empty sum. */
  const multiply = (given: Product): Handle<GpuArray> => {
    const { rows, columns, inner } = given;
    return rows * columns * inner === 0
      ? device.zeros([rows, columns])
      : device.store.adoptFloats(product(device, given));
  };
  const applied = (place: string, x: Tensor, weight: Tensor, bias?: Tensor): Product => {
    const [rows, inner] = matrixSize(x);
    const [columns] = matrixSize(weight);
    return {
      rows,
      columns,
      inner,
      left: { data: device.data(x), along: true },
      right: { data: device.data(weight), along: true },
      ...(bias && { bias: device.data(bias) }),
    };
  };
  return {
    linear: (x, weight, bias) => multiply(applied("linear", x, weight, bias)),
    linearOnto(into, x, weight, bias) {
      const added = applied("linearOnto", x, weight, bias);
      if (added.rows > 0) productInto(device, { ...added, adds: true }, device.own(into));
    },
    linearBackward(dOut, x, weight, needs, into = {}) {
      const [rows, inputs] = matrixSize(x);
      const [outputs] = matrixSize(weight);
      const outer = { data: device.data(dOut) };
      const input = { data: device.data(x), along: false };
      const right = { data: device.data(weight), along: false };
      const dX = needs.input
        ? multiply({ rows, columns: inputs, inner: outputs, left: { ...outer, along: true }, right })
        : null;
      const ofWeight = {
        rows: outputs,
        columns: inputs,
        inner: rows,
        left: { ...outer, along: false },
        right: input,
      };
      const dWeight = needs.weight
        ? device.settle(into.dWeight, [outputs, inputs], rows, (result, adds) =>
            productInto(device, { ...ofWeight, adds }, result),
          )
        : null;
      const dBias = needs.bias
        ? device.settle(into.dBias, [outputs], rows, (result, adds) =>
            device.runner.runInPlace(columnSumsProgram(outer.data, undefined, adds), result),
          )
        : null;
      return { ...(dX && { dX }), ...(dWeight && { dWeight }), ...(dBias && { dBias }) };
    },
    headLogits: (hidden, weight) => multiply(applied("headLogits", hidden, weight)),
  };
}

/** Returns a new tensor, [rows, columns]. */
export function product({ runner }: GpuDevice, given: Product): GpuArray {
  const { rows, columns } = given;
  const tile = tileFor(runner.limits, rows, columns);
  return runner.run(productProgram(given, tile), [rows, columns]);
}

/** Writes or adds to part of a tensor. */
export function productInto({ runner }: GpuDevice, given: Product, result: GpuArray): void {
  runner.runInPlace(productProgram(given, tileFor(runner.limits, given.rows, given.columns)), result);
}
