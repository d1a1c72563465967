import { sizeOf, type Kernels, type Tensor } from "../kernels/index.ts";
import type { WasmDevice } from "./wasm-device.ts";

type Elementwise = "reshape" | "add" | "multiply" | "scaled" | "accumulate" | "swiGlu" | "swiGluBackward";

export function elementwiseKernels(device: WasmDevice): Pick<Kernels, Elementwise> {
  const { store } = device;
  const pairwise =
    (name: "add" | "multiply" | "swiGlu") =>
    (a: Tensor, b: Tensor): Tensor => {
      const out = store.allocate(a.shape);
      device.divideRows({ countAt: 3, rows: [0, 1, 2] }, name, a, b, out, sizeOf(a.shape));
      return out;
    };
  return {
    reshape: (tensor, shape) => store.reshaped(tensor, shape),
    add: pairwise("add"),
    multiply: pairwise("multiply"),
    swiGlu: pairwise("swiGlu"),
    scaled(x, factor) {
      const out = store.allocate(x.shape);
      device.divideRows({ countAt: 3, rows: [0, 2] }, "scale", x, factor, out, sizeOf(x.shape));
      return out;
    },
    accumulate(into, delta) {
      store.makeWritable(into);
      device.divideRows({ countAt: 3, rows: [0, 1, 2] }, "add", into, delta, into, sizeOf(into.shape));
    },
    swiGluBackward(dOut, gate, up) {
      const [dGate, dUp] = [store.allocate(gate.shape), store.allocate(gate.shape)];
      const split = { countAt: 5, rows: [0, 1, 2, 3, 4] };
      device.divideRows(split, "swiGluBackward", dOut, gate, up, dGate, dUp, sizeOf(gate.shape));
      return { dGate, dUp };
    },
  };
}
