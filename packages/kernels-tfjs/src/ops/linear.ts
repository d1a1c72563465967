import { matrixSize, type KernelFamily, type Kernels } from "@laconic/engine/kernels";
import * as tf from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

export function linearKernels(device: OpsDevice): KernelFamily<"linear"> {
  const linear: Kernels["linear"] = (x, weight, bias) => {
    const [rows] = matrixSize(x);
    const [outputs] = matrixSize(weight);
    return device.make([rows, outputs], () => {
      const product = tf.matMul(device.data(x), device.data(weight), false, true);
      return bias ? tf.add(product, device.data(bias)) : product;
    });
  };
  return {
    linear,
    headLogits: (hidden, weight) => linear(hidden, weight),
    linearOnto(into, x, weight, bias) {
      if (x.shape[0] === 0) return;
      const total = tf.tidy(() => {
        const product = tf.add(device.data(into), tf.matMul(device.data(x), device.data(weight), false, true));
        return bias ? tf.add(product, device.data(bias)) : product;
      });
      device.store.replace(into, total);
    },
    linearBackward(dOut, x, weight, needs) {
      const [rows, inputs] = matrixSize(x);
      const [outputs] = matrixSize(weight);
      const [d, input] = [device.data(dOut), device.data(x)];
      return {
        ...(needs.input && { dX: device.make([rows, inputs], () => tf.matMul(d, device.data(weight))) }),
        ...(needs.weight && {
          dWeight: device.make([outputs, inputs], () =>
            rows === 0 ? tf.zeros([outputs, inputs]) : tf.matMul(d, input, true, false),
          ),
        }),
        ...(needs.bias && {
          dBias: device.make([outputs], () => (rows === 0 ? tf.zeros([outputs]) : tf.sum(d, 0))),
        }),
      };
    },
  };
}
