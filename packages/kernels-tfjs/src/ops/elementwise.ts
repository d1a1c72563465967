import type { Kernels } from "@laconic/engine/kernels";
import { add, mul, sigmoid, sub, tidy } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

type Elementwise = "add" | "multiply" | "scaled" | "accumulate" | "swiGlu" | "swiGluBackward";

/** Operations on elements of equal shape. */
export function elementwiseKernels(device: OpsDevice): Pick<Kernels, Elementwise> {
  const { store } = device;
  return {
    add(a, b) {
      return device.make(a.shape, () => add(device.data(a), device.data(b)));
    },
    multiply(a, b) {
      return device.make(a.shape, () => mul(device.data(a), device.data(b)));
    },
    scaled: (x, factor) => device.make(x.shape, () => mul(device.data(x), factor)),
    accumulate(into, delta) {
      const [sum, added] = [device.data(into), device.data(delta)];
      if (sum.size > 0)
        store.replace(
          into,
          tidy(() => add(sum, added)),
        );
    },
    swiGlu(gate, up) {
      return device.make(gate.shape, () => {
        const g = device.data(gate);
        return mul(mul(g, sigmoid(g)), device.data(up));
      });
    },
    swiGluBackward(dOut, gate, up) {
      const [dGate, dUp] = device.makeAll([gate.shape, gate.shape], () => {
        const [d, g] = [device.data(dOut), device.data(gate)];
        const share = sigmoid(g);
        const silu = mul(g, share);
        // d silu / d gate = share + silu (1 - share).
        const derivative = add(share, mul(silu, sub(1, share)));
        return [mul(mul(d, device.data(up)), derivative), mul(d, silu)];
      });
      return { dGate, dUp };
    },
  };
}
