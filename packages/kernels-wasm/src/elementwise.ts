import { LaconicError } from "@laconic/core";
import { expectFloats, matrix, sizeOf, type Kernels } from "@laconic/kernels";
import type { WasmDevice } from "./wasm-device.ts";

type Elementwise = "reshape" | "add" | "multiply" | "scaled" | "accumulate" | "swiGlu" | "swiGluBackward";

export function elementwiseKernels(device: WasmDevice): Pick<Kernels, Elementwise> {
  const { store } = device;
  return {
    reshape(tensor, shape) {
      const size = sizeOf(tensor.shape);
      if (sizeOf(shape) !== size)
        throw new LaconicError("input_invalid", `reshape: ${size} elements do not fill shape [${shape.join(", ")}]`);
      return store.reshaped(tensor, shape);
    },
    add(a, b) {
      expectFloats(a, a.shape, "add: a");
      expectFloats(b, a.shape, "add: b");
      const out = store.allocate(a.shape);
      device.run("add", a, b, out, sizeOf(a.shape));
      return out;
    },
    multiply(a, b) {
      expectFloats(a, a.shape, "multiply: a");
      expectFloats(b, a.shape, "multiply: b");
      const out = store.allocate(a.shape);
      device.run("multiply", a, b, out, sizeOf(a.shape));
      return out;
    },
    scaled(x, factor) {
      expectFloats(x, x.shape, "scaled");
      const out = store.allocate(x.shape);
      device.run("scale", x, factor, out, sizeOf(x.shape));
      return out;
    },
    accumulate(into, delta) {
      expectFloats(into, into.shape, "accumulate: into");
      expectFloats(delta, into.shape, "accumulate: delta");
      store.makeWritable(into);
      device.run("add", into, delta, into, sizeOf(into.shape));
    },
    swiGlu(gate, up) {
      expectFloats(gate, matrix(gate, "swiGlu: gate"), "swiGlu: gate");
      expectFloats(up, gate.shape, "swiGlu: up");
      const out = store.allocate(gate.shape);
      device.run("swiGlu", gate, up, out, sizeOf(gate.shape));
      return out;
    },
    swiGluBackward(dOut, gate, up) {
      expectFloats(dOut, gate.shape, "swiGluBackward: dOut");
      expectFloats(gate, gate.shape, "swiGluBackward: gate");
      expectFloats(up, gate.shape, "swiGluBackward: up");
      const [dGate, dUp] = [store.allocate(gate.shape), store.allocate(gate.shape)];
      device.run("swiGluBackward", dOut, gate, up, dGate, dUp, sizeOf(gate.shape));
      return { dGate, dUp };
    },
  };
}
