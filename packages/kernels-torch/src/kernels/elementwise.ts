import { expectFloats, matrix, sizeOf, type Kernels } from "@laconic/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Handle, type Handles } from "../native/torch.ts";
import type { TorchTensor } from "../tensors.ts";
import type { TorchDevice } from "../torch-device.ts";
import { addInPlace } from "./products.ts";

const multiply = operator("aten::mul", "Tensor");
const silu = operator("aten::silu");
const multiplyInto = operator("aten::mul", "out");
const siluBackwardInto = operator("aten::silu_backward", "grad_input");

type Elementwise = "add" | "multiply" | "scaled" | "accumulate" | "swiGlu" | "swiGluBackward";

export function elementwiseKernels(device: TorchDevice): Pick<Kernels, Elementwise> {
  const { store, torch } = device;
  return {
    add(a, b) {
      expectFloats(b, a.shape, "add: b");
      const [left, right] = [device.elements(a), device.elements(b)];
      return device.make(a.shape, () => torch.add(left, right), store.get(a).precision);
    },
    multiply(a, b) {
      expectFloats(b, a.shape, "multiply: b");
      const [left, right] = [device.elements(a), device.elements(b)];
      return device.make(a.shape, () => torch.call(multiply, left, right));
    },
    scaled(x, factor) {
      const handle = device.handle(x);
      return device.make(x.shape, () => torch.multiplyByNumber(handle, factor), store.get(x).precision);
    },
    accumulate(into, delta) {
      expectFloats(delta, into.shape, "accumulate: delta");
      const [sum, more] = [store.get(into), store.get(delta)];
      const size = sizeOf(into.shape);
      if (size === 0) return;
      const isWide = ({ precision }: TorchTensor): boolean =>
        precision === "full" || device.working === scalarType.float32;
      torch.run(() => {
        if (isWide(sum))
          addInPlace(
            device,
            sum.handle,
            isWide(more) ? device.handle(more) : device.widened(device.handle(more)),
            size,
          );
        else torch.copyInto(sum.handle, torch.add(sum.handle, device.handle(more)));
        store.changed(sum);
        return [];
      });
    },
    swiGlu(gate, up) {
      expectFloats(gate, matrix(gate, "swiGlu: gate"), "swiGlu: gate");
      expectFloats(up, gate.shape, "swiGlu: up");
      const [g, u] = [device.elements(gate), device.elements(up)];
      return device.make(gate.shape, () => torch.call(multiply, torch.call(silu, g), u));
    },
    swiGluBackward(dOut, gate, up) {
      expectFloats(dOut, gate.shape, "swiGluBackward: dOut");
      expectFloats(up, gate.shape, "swiGluBackward: up");
      const [d, g, u] = [device.elements(dOut), device.elements(gate), device.elements(up)];
      const [rows, width] = matrix(gate, "swiGluBackward: gate");
      // Side by side, as a product with the weights of both wants them.
      const place = { matrix: {}, stride: 2 * width };
      const [dGate, dUp] = torch.run<Handles<2>>(() => {
        const both = torch.empty([rows, 2 * width], device.working);
        const [left, right] = [0, width].map((start) => torch.view(both, [rows, width], [2 * width, 1], start)) as [
          Handle,
          Handle,
        ];
        torch.call(siluBackwardInto, torch.call(multiply, d, u), g, left);
        torch.call(multiplyInto, d, torch.call(silu, g), right);
        return [left, right];
      });
      return {
        dGate: store.adoptColumns(dGate, [rows, width], { ...place, start: 0 }),
        dUp: store.adoptColumns(dUp, [rows, width], { ...place, start: width }),
      };
    },
  };
}
