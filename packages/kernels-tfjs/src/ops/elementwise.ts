import { gateCurves, type GateCurve, type KernelFamily } from "@laconic/engine/kernels";
import * as tf from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

export function elementwiseKernels(device: OpsDevice): KernelFamily<"elementwise"> {
  const { store } = device;
  return {
    add: (a, b) => device.make(a.shape, () => tf.add(device.data(a), device.data(b))),
    multiply: (a, b) => device.make(a.shape, () => tf.mul(device.data(a), device.data(b))),
    scaled: (x, factor) => device.make(x.shape, () => tf.mul(device.data(x), factor)),
    accumulate(into, delta) {
      const [sum, added] = [device.data(into), device.data(delta)];
      if (sum.size > 0)
        store.replace(
          into,
          tf.tidy(() => tf.add(sum, added)),
        );
    },
    swiGlu(gate, up, curve = gateCurves.silu) {
      return device.make(gate.shape, () => {
        const g = device.data(gate);
        return tf.mul(tf.mul(g, tf.sigmoid(bend(g, curve))), device.data(up));
      });
    },
    swiGluBackward(dOut, gate, up, { slope, cubic } = gateCurves.silu) {
      const [dGate, dUp] = device.makeAll([gate.shape, gate.shape], () => {
        const [d, g] = [device.data(dOut), device.data(gate)];
        const share = tf.sigmoid(bend(g, { slope, cubic }));
        const bent = bend(g, { slope, cubic: 3 * cubic });
        const derivative = tf.add(share, tf.mul(tf.mul(share, bent), tf.sub(1, share)));
        return [tf.mul(tf.mul(d, device.data(up)), derivative), tf.mul(d, tf.mul(g, share))];
      });
      return { dGate, dUp };
    },
  };
}

function bend(x: tf.Tensor, { slope, cubic }: GateCurve): tf.Tensor {
  return tf.mul(x, tf.add(slope, tf.mul(cubic, tf.square(x))));
}
