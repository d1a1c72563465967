import { matrixSize, sizeOf, type Kernels, type Tensor } from "../kernels/index.ts";
import type { WasmDevice } from "./wasm-device.ts";

export function linearKernels(
  device: WasmDevice,
): Pick<Kernels, "linear" | "linearOnto" | "linearBackward" | "headLogits"> {
  const { store, products } = device;
  const linear: Kernels["linear"] = (x, weight, bias) => {
    const [rows] = matrixSize(x);
    const [outer] = matrixSize(weight);
    const out = store.allocate([rows, outer]);
    products.forward(store.address(x), rows, weight, store.address(out));
    if (bias) device.divideRows({ countAt: 2, width: outer, rows: [0] }, "addBias", out, bias, rows, outer);
    return out;
  };
  return {
    linear,
    linearOnto(into, x, weight, bias) {
      const added = linear(x, weight, bias);
      store.makeWritable(into);
      device.divideRows({ countAt: 3, rows: [0, 1, 2] }, "add", into, added, into, sizeOf(into.shape));
      store.free(added);
    },
    headLogits: (hidden, weight) => linear(hidden, weight),
    linearBackward(dOut, x, weight, needs) {
      const [outer, inner] = matrixSize(weight);
      const [rows] = matrixSize(x);
      const gradients: { dX?: Tensor; dWeight?: Tensor; dBias?: Tensor } = {};
      if (needs.weight) {
        gradients.dWeight = store.allocate(weight.shape);
        products.transposed(store.address(dOut), store.address(x), rows, gradients.dWeight, true);
      }
      if (needs.input) {
        gradients.dX = store.allocate([rows, inner]);
        products.back(store.address(dOut), rows, weight, store.address(gradients.dX));
      }
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
