import { expectFloats, matrix, type Kernels, type Tensor } from "@laconic/kernels";
import { zeros } from "@tensorflow/tfjs-core";
import type { Handle } from "../ops/handles.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { product } from "./products.ts";
import type { Product } from "./wgsl/product.ts";
import { columnSumsProgram } from "./wgsl/rms-norm.ts";

/** Products with a weight, by tiles. */
export function linearKernels(device: GpuDevice): Pick<Kernels, "linear" | "linearBackward" | "headLogits"> {
  /** Zeros where there is nothing to add up. */
  const multiply = (given: Product): Handle => {
    const { rows, columns, inner } = given;
    return device.ops.store.adoptFloats(rows * columns * inner === 0 ? zeros([rows, columns]) : product(device, given));
  };
  const applied = (place: string, x: Tensor, weight: Tensor, bias?: Tensor): Handle => {
    const [rows, inner] = matrix(x, `${place}: x`);
    const [columns] = matrix(weight, `${place}: weight`);
    expectFloats(x, [rows, inner], `${place}: x`);
    expectFloats(weight, [columns, inner], `${place}: weight`);
    if (bias) expectFloats(bias, [columns], `${place}: bias`);
    return multiply({
      ...{ rows, columns, inner },
      left: { data: device.data(x), along: true },
      right: { data: device.data(weight), along: true },
      ...(bias && { bias: device.data(bias) }),
    });
  };
  return {
    linear: (x, weight, bias) => applied("linear", x, weight, bias),
    linearBackward(dOut, x, weight, needs) {
      const [rows, inputs] = matrix(x, "linearBackward: x");
      const [outputs] = matrix(weight, "linearBackward: weight");
      expectFloats(weight, [outputs, inputs], "linearBackward: weight");
      expectFloats(dOut, [rows, outputs], "linearBackward: dOut");
      const slope = { data: device.data(dOut) };
      const input = { data: device.data(x), along: false };
      const right = { data: device.data(weight), along: false };
      const summed = (): Handle =>
        rows === 0
          ? device.ops.store.adoptFloats(zeros([outputs]))
          : device.make([outputs], () => columnSumsProgram(slope.data));
      return {
        ...(needs.input && {
          dX: multiply({ rows, columns: inputs, inner: outputs, left: { ...slope, along: true }, right }),
        }),
        ...(needs.weight && {
          dWeight: multiply({
            ...{ rows: outputs, columns: inputs, inner: rows },
            left: { ...slope, along: false },
            right: input,
          }),
        }),
        ...(needs.bias && { dBias: summed() }),
      };
    },
    headLogits: (hidden, weight) => applied("headLogits", hidden, weight),
  };
}
