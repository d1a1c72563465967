import { matrixSize, type KernelFamily, type Kernels } from "@laconic/engine/kernels";
import * as tf from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

/** RMSNorm (Zhang and Sennrich 2019). */
export function normKernels(device: OpsDevice): KernelFamily<"norm"> {
  return {
    rmsNorm(x, weight, epsilon) {
      const [rows, width] = matrixSize(x);
      const [out, invRms] = device.makeAll([[rows, width], [rows]], () => {
        const input = device.data(x);
        const inverse = tf.rsqrt(tf.add(tf.mean(tf.square(input), 1), epsilon));
        return [tf.mul(tf.mul(input, tf.expandDims(inverse, 1)), device.data(weight)), inverse];
      });
      return { out, invRms };
    },
    rmsNormBackward(dOut, x, weight, invRms) {
      const [rows, width] = matrixSize(x);
      if (rows === 0)
        return {
          dX: device.make([0, width], () => tf.zeros([0, width])),
          dWeight: device.make([width], () => tf.zeros([width])),
        };
      const [dX, dWeight] = device.makeAll([[rows, width], [width]], () => {
        const inverse = tf.expandDims(device.data(invRms), 1);
        const normal = tf.mul(device.data(x), inverse);
        const d = device.data(dOut);
        const dNormal = tf.mul(d, device.data(weight));
        const along = tf.mean(tf.mul(dNormal, normal), 1, true);
        return [tf.mul(inverse, tf.sub(dNormal, tf.mul(normal, along))), tf.sum(tf.mul(d, normal), 0)];
      });
      return { dX, dWeight };
    },
  };
}

/** Rotary positions (Su et al. 2021) that pair the halves of a head. */
export function rotaryKernels(device: OpsDevice): Pick<Kernels, "rotary"> {
  return {
    rotary(x, tables, positions, heads, inverse = false) {
      const [rows, width] = matrixSize(x);
      const [, half] = matrixSize(tables.cos);
      return device.make([rows, width], () => {
        const position = device.data(positions);
        const [c, forward] = [tables.cos, tables.sin].map((table) =>
          tf.expandDims(tf.gather(device.data(table), position), 1),
        );
        if (!c || !forward) return device.data(x);
        const s = inverse ? tf.neg(forward) : forward;
        const pairs = tf.reshape(device.data(x), [rows, heads, 2 * half]);
        const low = tf.slice(pairs, [0, 0, 0], [rows, heads, half]);
        const high = tf.slice(pairs, [0, 0, half], [rows, heads, half]);
        return tf.concat([tf.sub(tf.mul(low, c), tf.mul(high, s)), tf.add(tf.mul(high, c), tf.mul(low, s))], 2);
      });
    },
  };
}
