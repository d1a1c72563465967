import { expectFloats, matrix, sizeOf, type Kernels, type Tensor } from "@laconic/kernels";
import type { Tensor2D, Tensor as TfTensor } from "@tensorflow/tfjs-core";
import type { WasmDevice } from "./wasm-device.ts";

/**
 * Dense products. Those with a weight on the right run in TensorFlow.js (XNNPACK), which packs the weight once and
 * keeps the packed copy until the weight changes; the weight's gradient has no operand that lasts and is fused.
 */
export function linearKernels(
  device: WasmDevice,
): Pick<Kernels, "linear" | "linearOnto" | "linearBackward" | "headLogits"> {
  const { store, memory } = device;
  const transpose = (data: TfTensor): TfTensor => {
    const [rows, columns] = data.shape as [number, number];
    const out = memory.allocate([columns, rows], "float32");
    memory.fused.transpose(memory.address(data), memory.address(out), rows, columns);
    return out;
  };
  const product = (left: Tensor, right: TfTensor): Tensor =>
    store.adopt(memory.multiply(store.data(left) as Tensor2D, right as Tensor2D));
  const linear: Kernels["linear"] = (x, weight, bias) => {
    const [rows] = matrix(x, "linear: x");
    const [outer, inner] = matrix(weight, "linear: weight");
    expectFloats(weight, [outer, inner], "linear: weight");
    expectFloats(x, [rows, inner], "linear: x");
    const out = rows === 0 ? store.zeros([0, outer]) : product(x, store.transposed(weight, transpose));
    if (bias) {
      expectFloats(bias, [outer], "linear: bias");
      device.run("addBias", out, bias, rows, outer);
    }
    return out;
  };
  return {
    linear,
    linearOnto(into, x, weight, bias) {
      const product = linear(x, weight, bias);
      expectFloats(into, product.shape, "linearOnto: into");
      store.makeWritable(into);
      device.run("add", into, product, into, sizeOf(into.shape));
      store.free(product);
    },
    headLogits: linear,
    linearBackward(dOut, x, weight, needs) {
      const [outer, inner] = matrix(weight, "linearBackward: weight");
      const [rows] = matrix(x, "linearBackward: x");
      expectFloats(weight, [outer, inner], "linearBackward: weight");
      expectFloats(x, [rows, inner], "linearBackward: x");
      expectFloats(dOut, [rows, outer], "linearBackward: dOut");
      const gradients: { dX?: Tensor; dWeight?: Tensor; dBias?: Tensor } = {};
      if (needs.weight) {
        gradients.dWeight = store.zeros(weight.shape);
        device.run("transposedProduct", dOut, x, gradients.dWeight, rows, outer, inner);
      }
      if (needs.input) gradients.dX = rows === 0 ? store.zeros([0, inner]) : product(dOut, store.rightOperand(weight));
      if (needs.bias) {
        gradients.dBias = store.zeros([outer]);
        device.withScratch(outer, (scratch) =>
          device.run("columnSums", dOut, gradients.dBias as Tensor, rows, outer, scratch),
        );
      }
      return gradients;
    },
  };
}
