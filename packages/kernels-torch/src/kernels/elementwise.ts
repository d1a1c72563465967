import { expectFloats, matrix, type Kernels } from "@laconic/kernels";
import { operator } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

const multiply = operator("aten::mul", "Tensor");
const silu = operator("aten::silu");
const siluBackward = operator("aten::silu_backward");

type Elementwise = "add" | "multiply" | "scaled" | "accumulate" | "swiGlu" | "swiGluBackward";

export function elementwiseKernels(device: TorchDevice): Pick<Kernels, Elementwise> {
  const { store, torch } = device;
  return {
    add(a, b) {
      expectFloats(b, a.shape, "add: b");
      const [left, right] = [device.handle(a), device.handle(b)];
      return device.make(a.shape, () => torch.add(left, right), store.get(a).precision);
    },
    multiply(a, b) {
      expectFloats(b, a.shape, "multiply: b");
      const [left, right] = [device.handle(a), device.handle(b)];
      return device.make(a.shape, () => torch.call(multiply, left, right));
    },
    scaled(x, factor) {
      const handle = device.handle(x);
      return device.make(x.shape, () => torch.multiplyByNumber(handle, factor), store.get(x).precision);
    },
    accumulate(into, delta) {
      expectFloats(delta, into.shape, "accumulate: delta");
      const [sum, more] = [store.get(into), device.handle(delta)];
      // add_ takes a Scalar, which the stable interface cannot pass (seen up to 2.14.1); the sum is made anew.
      store.replace(
        sum,
        torch.run(() => {
          const total = torch.add(sum.handle, more);
          return sum.precision === "full" ? total : device.rounded(total);
        }),
      );
    },
    swiGlu(gate, up) {
      expectFloats(gate, matrix(gate, "swiGlu: gate"), "swiGlu: gate");
      expectFloats(up, gate.shape, "swiGlu: up");
      const [g, u] = [device.handle(gate), device.handle(up)];
      return device.make(gate.shape, () => torch.call(multiply, torch.call(silu, g), u));
    },
    swiGluBackward(dOut, gate, up) {
      expectFloats(dOut, gate.shape, "swiGluBackward: dOut");
      expectFloats(up, gate.shape, "swiGluBackward: up");
      const [d, g, u] = [device.handle(dOut), device.handle(gate), device.handle(up)];
      return {
        dGate: device.make(gate.shape, () => torch.call(siluBackward, torch.call(multiply, d, u), g)),
        dUp: device.make(gate.shape, () => torch.call(multiply, d, torch.call(silu, g))),
      };
    },
  };
}
